/**
 * Builds the programs of the test control plane that are not there yet, and on Linux those of the test node, for which it fetches jars too:
 * `node scripts/tools.ts`.
 * Exit code 3 means that Go is missing; scripts/setup.sh then says or does something about it.
 */

import { missingTools } from '../harness/tools/tools.ts';
import { buildTools, type Progress } from '../harness/tools/build.ts';
import { findGo } from '../harness/tools/go.ts';
import { fetchJars } from '../harness/tools/jars.ts';

// So that the lock is given back.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

// Only root on Linux can run a kubelet: nobody else should wait for its programs.
const wanted = process.platform === 'linux' && process.getuid?.() === 0 ? 'node' : 'control plane';
if (missingTools(wanted).length > 0) {
  const go = findGo();
  if (go === undefined) process.exit(3);
  await buildTools(go, wanted, progressOn(process.stderr));
}
if (wanted === 'node') await fetchJars(progressOn(process.stderr));

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
