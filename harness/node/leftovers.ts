/**
 * The end of a test node: everything that is not gone with its namespaces. The keeper does it; after a keeper that was killed, the next
 * start of any node.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEEP_MARK } from '../control-plane/stale.ts';
import { mountsUnder } from '../../src/csi/mounts/mountinfo.ts';
import { commandOf, readPid } from '../processes.ts';
import { removeCgroups } from './cgroups.ts';
import { NODE_PREFIX, nodeLayout } from './layout.ts';
import { mountsBelow } from './mounts.ts';

/** Takes away mounts, link, cgroups and folder of a node whose processes are gone. Throws when something would not go. */
export function removeLeftovers(dir: string, keepDir = false): void {
  const { id } = nodeLayout(dir, '', 0);
  unmountAll(dir);
  // Gone with the network namespace, a moment later.
  spawnSync('ip', ['link', 'delete', id], { stdio: 'ignore' });
  removeCgroups(dir);
  // Never through a mount: what is in it is not ours.
  const left = mountsBelow(dir).map(({ mountPoint }) => mountPoint);
  if (left.length > 0) throw new Error(`still mounted: ${left.join(', ')}`);
  if (!keepDir) rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
}

/** The folders of nodes whose keeper has ended, without those that were kept on purpose. */
export function sweepNodes(): void {
  for (const entry of readdirSync(tmpdir())) {
    const dir = join(tmpdir(), entry);
    if (!entry.startsWith(NODE_PREFIX) || existsSync(join(dir, KEEP_MARK)) || !isStale(dir)) continue;
    try {
      killInit(dir);
      removeLeftovers(dir);
    } catch {
      // Another start sweeps it at the same time, or a process still uses it: the next start removes it.
    }
  }
}

/** Ends the first process of the node's PID namespace, and so all of them: the kernel sees to that before it reports the end. */
function killInit(dir: string): void {
  const pid = readPid(join(dir, 'init.pid'));
  // The pid may belong to another process by now: ours runs the program of this folder.
  if (pid === undefined || !commandOf(pid).includes(dir)) return;
  process.kill(pid, 'SIGKILL');
  const deadline = performance.now() + 10_000;
  while (isRunning(pid) && performance.now() < deadline) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}

function unmountAll(dir: string): void {
  // Whoever waits for an answer of a file system whose server is gone or stuck is freed; its unmount too.
  for (const { fsType, device } of mountsBelow(dir)) if (/^fuse(\.|$)/.test(fsType)) abort(device);
  // Mounts come and go together where they are shared, so the table is read anew. The one mounted last may be hidden below another.
  const uppermost = () => mountsUnder(mountsBelow(dir), dir)[0];
  for (let next = uppermost(), attempts = 0; next !== undefined && attempts < 1000; next = uppermost(), attempts++) {
    execFileSync('umount', ['--no-canonicalize', '--internal-only', '--lazy', next.mountPoint], { stdio: ['ignore', 'ignore', 'pipe'] });
  }
}

function abort(device: string): void {
  const minor = device.split(':')[1] ?? '';
  try {
    writeFileSync(`/sys/fs/fuse/connections/${minor}/abort`, '1');
  } catch {
    // Without the fusectl file system, the lazy unmount must do.
  }
}

function isStale(dir: string): boolean {
  const keeper = readPid(join(dir, 'keeper.pid'));
  if (keeper !== undefined) return !commandOf(keeper).includes(dir);
  const owner = readPid(join(dir, 'owner.pid'));
  // Without either it is being made right now.
  return owner !== undefined && !isRunning(owner);
}

/** A process that has ended but whose parent has not asked yet does not count. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
