/**
 * The keeper: the one child of a test process that owns everything a control plane started.
 *
 * It lives in a session of its own (Ctrl-C does not reach it) and notices the end of its parent, whatever its cause, by the closed IPC
 * channel. Then it ends the processes it started, by pid, and removes the private folder. Killed itself, its children die with it on
 * Linux (pdeathsig); elsewhere the next start sweeps up (stale.ts).
 *
 *   node keeper.ts <private dir>
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FromKeeper, ToKeeper } from './keeper-messages.ts';
import { type KubeletServer, serveKubelet } from './kubelet.ts';

const dir = process.argv[2] ?? '';
const children = new Map<string, ChildProcess>();
const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => process.platform === 'linux' && existsSync(path));
let kubelet: KubeletServer | undefined;
let keepDir = false;

writeFileSync(join(dir, 'keeper.pid'), String(process.pid));
mkdirSync(join(dir, 'pids'), { recursive: true });
mkdirSync(join(dir, 'logs'), { recursive: true });
process.on('message', (message: ToKeeper) => void obey(message));
process.on('disconnect', () => void end());
// Only the parent ends a keeper: a stray SIGTERM to "all node processes" would otherwise leave a folder behind.
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(signal, () => void end());
send({ kind: 'hello' });

async function obey(message: ToKeeper): Promise<void> {
  switch (message.kind) {
    case 'spawn':
      return start(message);
    case 'kill':
      children.get(message.name)?.kill(message.signal);
      return;
    case 'kubelet':
      kubelet = await serveKubelet({ dir, ...message });
      return send({ kind: 'kubelet', port: kubelet.port });
    case 'stop':
      keepDir = message.keepDir;
      return end();
  }
}

function start({ name, command, args }: Extract<ToKeeper, { kind: 'spawn' }>): void {
  const log = openSync(join(dir, 'logs', `${name}.log`), 'a');
  const argv = setpriv === undefined ? [command, ...args] : [setpriv, '--pdeathsig', 'KILL', '--', command, ...args];
  const child = spawn(argv[0] ?? command, argv.slice(1), { cwd: dir, env: cleanEnv(), stdio: ['ignore', log, log] });
  closeSync(log);
  children.set(name, child);
  const pidFile = join(dir, 'pids', name);
  if (child.pid !== undefined) writeFileSync(pidFile, String(child.pid));
  const gone = (reason: string) => {
    if (children.get(name) === child) children.delete(name);
    rmSync(pidFile, { force: true });
    send({ kind: 'exited', name, reason });
  };
  child.once('error', (error) => gone(error.message));
  child.once('exit', (code, signal) => gone(signal ?? `exit code ${code}`));
}

/**
 * etcd reads every ETCD_ variable, Go programs read proxies and kubeconfigs: the children get none of them. An API server that takes our
 * CRDs spends a quarter of its time on garbage collection, so that it may have more memory.
 */
function cleanEnv(): NodeJS.ProcessEnv {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: dir, TMPDIR: dir, LANG: 'C', GOGC: '400', GOMEMLIMIT: '768MiB' };
}

let ending = false;
async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  kubelet?.close();
  // SIGKILL: the data is thrown away, and the API server would drain its connections for up to a minute.
  await Promise.all([...children.values()].map(killed));
  rmSync(join(dir, 'pids'), { recursive: true, force: true });
  if (!keepDir) rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  process.exit(0);
}

function killed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

function send(message: FromKeeper): void {
  if (process.connected) process.send?.(message, () => {});
}
