/** Builds the programs of the test control plane and node that are missing, once per machine, and says how long that will take. */
import { spawn } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildFlags, cacheDir, cacheRoot, MODULES, missingTools, type Tool, type Wanted } from './tools.ts';
import type { Go } from './go.ts';
import { lock } from './lock.ts';

/** Where the progress is shown: a line stays, a status is replaced by the next one. */
export interface Progress {
  line(text: string): void;
  status(text: string): void;
}

/** Builds what is missing with this Go; returns at once when nothing is. */
export async function buildTools(go: Go, wanted: Wanted, progress: Progress): Promise<void> {
  if (missingTools(wanted).length === 0) return;
  mkdirSync(cacheRoot(), { recursive: true });
  const unlock = await lock(join(cacheRoot(), 'build.lock'), () =>
    progress.status('waiting for another process, which builds test programs'),
  );
  try {
    // Checked again: another process may have built them while it held the lock.
    await buildAll(missingTools(wanted), { go, progress });
  } finally {
    unlock();
  }
}

interface BuildContext {
  readonly go: Go;
  readonly progress: Progress;
}

async function buildAll(missing: readonly Tool[], context: BuildContext): Promise<void> {
  if (missing.length === 0) return;
  const { progress } = context;
  const total = expectedSeconds(missing);
  progress.line(`building ${missing.length} test programs (once; about ${duration(total)} on two cores) into ${cacheRoot()}`);
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  for (const [index, tool] of missing.entries()) {
    const start = elapsed();
    await build(tool, context, (fraction, doing) => {
      const done = expectedSeconds(missing.slice(0, index)) + tool.seconds * fraction;
      progress.status(`  ${tool.name}: ${doing}, about ${duration(secondsLeft({ total, done, elapsed: elapsed() }))} left`);
    });
    const size = Math.round(statSync(join(cacheDir(tool.module), tool.name)).size / 1e6);
    progress.line(`  ${tool.name.padEnd(23)} ${duration(elapsed() - start).padStart(9)}, ${size} MB`);
  }
  progress.line(`built in ${duration(elapsed())}`);
}

/** How long a build of these takes on two cores, s. */
export function expectedSeconds(tools: readonly Tool[]): number {
  return tools.reduce((sum, { seconds }) => sum + seconds, 0);
}

function build(tool: Tool, { go }: BuildContext, show: (fraction: number, doing: string) => void): Promise<void> {
  const target = join(cacheDir(tool.module), tool.name);
  const made = `${target}.${process.pid}.new`;
  mkdirSync(dirname(target), { recursive: true });
  const env = { ...process.env, ...go.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' };
  const child = spawn(go.path, ['build', ...buildFlags(tool.module), '-v', '-o', made, tool.package], {
    cwd: join(MODULES, tool.module),
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let compiled = 0;
  let complaints: readonly string[] = [];
  const lines = createInterface({ input: child.stderr });
  // With -v, go names each package as it compiles it.
  lines.on('line', (line) => {
    const downloading = /^go: downloading (\S+)/.exec(line)?.[1];
    const isPackage = /^[\w.~/-]+$/.test(line);
    if (isPackage) compiled++;
    else if (downloading === undefined) complaints = [...complaints, line].slice(-20);
    // Linking is the last stretch, and go is silent about it.
    const fraction = Math.min(0.95, compiled / tool.packages);
    show(fraction, downloading === undefined ? `package ${compiled} of about ${tool.packages}` : `downloading ${downloading}`);
  });
  show(0, 'loading modules');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) {
        renameSync(made, target);
        return resolve();
      }
      rmSync(made, { force: true });
      reject(new Error(`go build of ${tool.package} in ${join(MODULES, tool.module)} ended with code ${code}:\n${complaints.join('\n')}`));
    });
  });
}

/** How long the rest takes at the pace so far; the expected pace counts like half a minute's experience. */
export function secondsLeft({ total, done, elapsed }: { total: number; done: number; elapsed: number }): number {
  const pace = (elapsed + 30) / (done + 30);
  return Math.max(0, (total - done) * pace);
}

/** `40 s`, `6 min`. */
export function duration(seconds: number): string {
  return seconds < 100 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
