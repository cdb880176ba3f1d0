/**
 * The namespaces in which a test node lives: name, network, processes and mounts of its own, all of which end with its first process. Of the
 * machine's mounts it shares two folders, in both directions: the kubelet's and the mount root.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../control-plane/until.ts';
import { KUBELET_SYSCTLS, type NodeLayout, nodePaths } from './layout.ts';

/** The environment of everything on the node: nothing of whoever runs the tests. */
export function nodeEnv(dir: string): NodeJS.ProcessEnv {
  return { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: dir, LANG: 'C' };
}

/** The argv that runs a command on the node whose first process is `init`. */
export function onNode(init: number, command: string, args: readonly string[]): readonly string[] {
  return ['nsenter', `--target=${init}`, '--mount', '--net', '--pid', '--uts', '--', command, ...args];
}

/** The folders that are shared with the machine, and the one around them, which is not. */
export function shareFolders({ dir }: NodeLayout): void {
  const { kubelet, mounts, logs, varLib, varLog } = nodePaths(dir);
  for (const folder of [kubelet, mounts, logs, varLib, varLog]) mkdirSync(folder, { recursive: true });
  // Where `/` is shared, what containerd mounts would otherwise appear on the machine.
  bindToItself(dir, 'private');
  bindToItself(kubelet, 'shared');
  bindToItself(mounts, 'shared');
}

function bindToItself(folder: string, propagation: 'private' | 'shared'): void {
  run('mount', ['--bind', folder, folder]);
  run('mount', [`--make-${propagation}`, folder]);
}

export interface Init {
  readonly pid: number;
  /** On the machine; ends when the last process on the node has ended. */
  readonly process: ChildProcess;
}

/** Starts the node's first process, which dies with this one. */
export async function startInit({ dir }: NodeLayout, pause: string): Promise<Init> {
  const namespaces = ['--net', '--pid', '--uts', '--mount', '--propagation=unchanged', '--mount-proc', '--fork', '--kill-child=KILL'];
  const argv = ['--pdeathsig', 'KILL', '--', 'unshare', ...namespaces, '--', pause, dir];
  const child = spawn('setpriv', argv, { env: nodeEnv(dir), stdio: 'ignore' });
  const failure = () => (child.exitCode === null && child.signalCode === null ? undefined : 'unshare ended');
  const pid = await until('the first process of the node', 10, () => Promise.resolve(runningChild(child.pid, pause)), failure);
  writeFileSync(join(dir, 'init.pid'), String(pid));
  return { pid, process: child };
}

/** The child of this process, once it runs the program. */
function runningChild(parent: number | undefined, program: string): number | undefined {
  const pid = childOf(parent);
  try {
    return pid !== undefined && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${program}\0`) ? pid : undefined;
  } catch {
    return undefined;
  }
}

export function childOf(parent: number | undefined): number | undefined {
  try {
    return Number.parseInt(readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

/** Prepares the part of the file system that only the node sees. */
export function furnish({ dir }: NodeLayout, init: number): void {
  const { sysctls, varLib, varLog } = nodePaths(dir);
  const mount = (...args: readonly string[]) => run('nsenter', onNode(init, 'mount', args).slice(1));
  // Sockets of shims, network namespaces, and what CNI plugins remember.
  mount('-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', '/run');
  mount('--bind', varLib, '/var/lib');
  mount('--bind', varLog, '/var/log');
  mount('--bind', join(dir, 'hosts'), '/etc/hosts');
  mkdirSync(sysctls, { recursive: true });
  for (const [name, value] of Object.entries(KUBELET_SYSCTLS)) {
    const file = join(sysctls, name.replaceAll('/', '.'));
    writeFileSync(file, `${value}\n`);
    mount('--bind', file, `/proc/sys/${name}`);
  }
}

/** A link between machine and node, and the service address on the node's side of it. */
export function connectNetwork({ dir, id, name, hostAddress, address, subnet }: NodeLayout, init: number): void {
  run('ip', ['link', 'add', id, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(init)]);
  run('ip', ['address', 'add', `${hostAddress}/30`, 'dev', id]);
  run('ip', ['link', 'set', id, 'up']);
  run('ip', ['route', 'add', subnet, 'via', address, 'dev', id]);
  const there = (command: string, ...args: readonly string[]) => run('nsenter', onNode(init, command, args).slice(1));
  // The host name that pods of the node's network see.
  there('hostname', name);
  there('ip', 'link', 'set', 'lo', 'up');
  there('ip', 'address', 'add', `${address}/30`, 'dev', 'eth0');
  there('ip', 'link', 'set', 'eth0', 'up');
  there('ip', 'route', 'add', 'default', 'via', hostAddress);
  // Each network namespace has this setting of its own.
  there('sysctl', '-qw', 'net.ipv4.ip_forward=1');
  there('nft', '-f', `${dir}/service-address.nft`);
}

/** Whether some address of the block is routed on this machine. */
export function isTaken(subnet: string): boolean {
  return run('ip', ['-4', 'route', 'show', 'to', 'root', subnet]).trim() !== '';
}

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', env: nodeEnv('/'), stdio: ['ignore', 'pipe', 'pipe'] });
}
