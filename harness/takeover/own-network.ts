/**
 * A network and mounts of its own for a whole program. Addresses of simulated pods are then addresses of this machine, on which their
 * programs listen, and no other process of the machine sees them.
 */
import { spawnSync } from 'node:child_process';

const MARK = 'SLUICE_OWN_NETWORK';
/** kwok's range of addresses (components.ts), and an /etc whose changes end with this program. */
const ENTER = [
  'ip link set lo up',
  'ip route add local 10.244.0.0/16 dev lo',
  'mount -t tmpfs tmpfs /mnt',
  'mkdir /mnt/upper /mnt/work',
  'mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/upper,workdir=/mnt/work /etc',
  'exec "$@"',
].join(' && ');

/** Runs this program again within such namespaces; undefined: it runs there. @returns the exit code */
export function inOwnNetwork(): number | undefined {
  if (process.env[MARK] === '1') return undefined;
  const argv = ['--net', '--mount', '--', 'sh', '-c', ENTER, 'sh', process.execPath, ...process.argv.slice(1)];
  // The signals of a terminal reach both.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  const { status, error } = spawnSync('unshare', argv, { stdio: 'inherit', env: { ...process.env, [MARK]: '1' } });
  if (error) throw error;
  return status ?? 1;
}
