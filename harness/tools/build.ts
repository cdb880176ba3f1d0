/** Builds the programs of the test control plane and node, once per machine. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Go } from './go.ts';
import type { Job, Report } from './jobs.ts';
import { lock } from './lock.ts';
import { moduleFor, PATCHES } from './kubernetes.ts';
import { type Build, buildOf, cacheRoot, type Env, type Tool, toolPath } from './tools.ts';

/** Lower priority than all other work of the machine. */
const NICE = 10;

/** A build for each of these. One that another process makes at the same time is waited for. */
export function buildJobs(go: Go, tools: readonly Tool[], env: Env = process.env): readonly Job[] {
  return tools.map((tool) => ({
    name: tool.name,
    seconds: tool.seconds,
    async run(report, signal) {
      mkdirSync(cacheRoot(env), { recursive: true });
      const unlock = await lock(join(cacheRoot(env), 'build.lock'), () => {
        signal.throwIfAborted();
        report(0, 'waiting for another process, which builds test programs');
      });
      try {
        if (!existsSync(toolPath(tool, env))) {
          report(0, 'loading modules');
          const how = buildOf(tool, env);
          await writeModule(how, go, signal);
          await build(tool, how, go, report, signal);
        }
      } finally {
        unlock();
      }
      return `${Math.round(statSync(toolPath(tool, env)).size / 1e6)} MB`;
    },
  }));
}

/** The module of a version of Kubernetes that has none under tools/. */
async function writeModule({ module, kubernetes }: Build, go: Go, signal: AbortSignal): Promise<void> {
  const file = join(module, 'go.mod');
  if (kubernetes === undefined || existsSync(file)) return;
  mkdirSync(module, { recursive: true });
  const args = ['mod', 'download', '-json', `k8s.io/kubernetes@v${PATCHES[kubernetes]}`];
  const env = { ...process.env, ...go.env, GOFLAGS: '', GOWORK: 'off' };
  const { stdout } = await promisify(execFile)(go.path, args, { cwd: module, env, signal });
  const { GoMod: own } = JSON.parse(stdout) as { readonly GoMod: string };
  writeFileSync(`${file}.new`, moduleFor(kubernetes, readFileSync(own, 'utf8')));
  renameSync(`${file}.new`, file);
}

function build(tool: Tool, how: Build, go: Go, report: Report, signal: AbortSignal): Promise<void> {
  const target = join(how.target, tool.name);
  const folder = `${target}.new`;
  const made = join(folder, tool.name);
  // The folder of a build that was killed: this one holds the lock.
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  remove();
  mkdirSync(folder, { recursive: true });
  // Go leaves what it has there when a signal ends it.
  const env = { ...process.env, ...go.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off', GOTMPDIR: folder };
  const nicer = String(Math.max(0, NICE - getPriority()));
  const child = spawn('nice', ['-n', nicer, go.path, 'build', ...how.flags, '-v', '-o', made, tool.package], {
    cwd: how.module,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    // With its compilers it is a group of processes, which ends as a whole.
    detached: true,
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const stop = () => void (child.pid !== undefined && isRunning() && process.kill(-child.pid, 'SIGTERM'));
  signal.addEventListener('abort', stop, { once: true });
  process.once('exit', stop);
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
    report(fraction, downloading === undefined ? `package ${compiled} of about ${tool.packages}` : `downloading ${downloading}`);
  });
  return new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) {
        renameSync(made, target);
        return resolve();
      }
      if (signal.aborted) return reject(signal.reason as Error);
      reject(new Error(`go build of ${tool.package} in ${how.module} ended with code ${code}:\n${complaints.join('\n')}`));
    });
  }).finally(() => {
    signal.removeEventListener('abort', stop);
    process.off('exit', stop);
    remove();
  });
}
