/**
 * Builds the programs of the test control plane that are missing, as root on Linux also those of the test node, and fetches its jars, wheels
 * and packages:
 *
 *   node scripts/tools.ts           builds and fetches; exit code 3: this machine has no Go, which scripts/setup.sh can install
 *   node scripts/tools.ts --plan    prints what that would be, a line each, and does nothing; no output: nothing is missing
 *   node scripts/tools.ts --engines builds also the programs that only `npm run engines` runs
 */

import { existsSync } from 'node:fs';
import { cacheRoot, missingTools } from '../harness/tools/tools.ts';
import { buildTools, duration, expectedSeconds, type Progress } from '../harness/tools/build.ts';
import { findGo } from '../harness/tools/go.ts';
import { cephDir, fetchCeph, lacksCeph } from '../harness/tools/debs.ts';
import { fetchJars, jarsDir } from '../harness/tools/jars.ts';
import { fetchWheels, wheelsPlan } from '../harness/tools/wheels.ts';

// So that the lock is released.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

// Only root on Linux can run a kubelet; other users need not wait for its programs.
const forNodes = process.platform === 'linux' && process.getuid?.() === 0;
const wanted = forNodes ? (process.argv.includes('--engines') ? 'engines' : 'node') : 'control plane';
if (process.argv.includes('--plan')) {
  for (const line of plan()) console.log(line);
  process.exit();
}
if (missingTools(wanted).length > 0) {
  const go = findGo();
  if (go === undefined) process.exit(3);
  await buildTools(go, wanted, progressOn(process.stderr));
}
if (forNodes) {
  await fetchJars(progressOn(process.stderr));
  await fetchWheels(progressOn(process.stderr));
  await fetchCeph(progressOn(process.stderr));
}

/** What a run without `--plan` needs and creates. */
function plan(): readonly string[] {
  const missing = missingTools(wanted);
  const programs = `${missing.length} programs, built from source in about ${duration(expectedSeconds(missing))}, into ${cacheRoot()}: ${missing.map(({ name }) => name).join(', ')}`;
  return [
    ...(missing.length > 0 && findGo() === undefined ? ['Go, from Debian or its backports: about 81 MB to download, 464 MB on disk'] : []),
    ...(missing.length > 0 ? [programs] : []),
    ...(forNodes && !existsSync(jarsDir()) ? [`the jars of Alluxio, 125 MB, fetched by Maven into ${jarsDir()}`] : []),
    ...(forNodes ? wheelsPlan() : []),
    ...(forNodes && lacksCeph() ? [`the programs of Ceph, 29 MB of Debian packages, unpacked into ${cephDir()}, 105 MB`] : []),
  ];
}

/** One line that is rewritten on a terminal; in a log, a line every half minute. */
function progressOn(stream: NodeJS.WriteStream): Progress {
  const clear = stream.isTTY ? '\r\x1b[K' : '';
  let last = performance.now();
  return {
    line: (text) => void stream.write(`${clear}${text}\n`),
    status: (text) => {
      if (stream.isTTY) stream.write(`${clear}${text.slice(0, stream.columns - 1)}`);
      else if (performance.now() - last > 30_000) {
        last = performance.now();
        stream.write(`${text}\n`);
      }
    },
  };
}
