import { type Mounted, mountedAt, type PodFact } from '../../src/constructs/index.ts';
import { RPC } from './ports.ts';

/** Name of the ConfigMap that says where workers serve their caches. Masters and clients read it while they run. */
export const endpointsName = (name: string): string => `${name}-worker-endpoints`;
const FILE = 'efc-worker-endpoints.json';
/** Where EFC reads the file. */
const DIRECTORY = '/etc/efc';

/** Ready workers, sorted by the names of their pods. A worker listens at the port of its own pod, also after an edit of the network. */
export const endpointsOf = (workers: readonly PodFact[] = [], port: number): readonly string[] =>
  workers.map(({ ip, ports }) => `${ip.includes(':') ? `[${ip}]` : ip}:${ports?.[RPC] ?? port}`);

/** An empty list stays a list: in Fluid the key disappears once the last worker has gone. */
export const endpointsData = (endpoints: readonly string[]): Readonly<Record<string, string>> => ({
  [FILE]: JSON.stringify({ containerendpoints: endpoints }),
});

export const endpointsMounted = (name: string): Mounted =>
  mountedAt(DIRECTORY, 'efc-worker-endpoints', { configMap: { name: endpointsName(name) } });
