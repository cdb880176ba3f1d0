import type { PortNeed, Settings } from '../constructs/index.ts';
import type { LiveObject } from './objects.ts';
import type { PortTable } from './port-table.ts';

export type PortPolicy = 'random' | 'bitmap';

interface Workload {
  readonly template?: {
    readonly spec?: {
      readonly hostNetwork?: boolean;
      readonly containers?: readonly { readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[] }[];
    };
  };
}

/** The port of a runtime that Fluid set up, so that taking it over changes nothing. */
export function livePort({ portName }: PortNeed, workload: LiveObject | undefined): number | undefined {
  const { hostNetwork, containers } = (workload?.['spec'] as Workload | undefined)?.template?.spec ?? {};
  // Pods with a network of their own may all have the same port.
  return hostNetwork ? containers?.flatMap(({ ports = [] }) => ports).find(({ name }) => name === portName)?.containerPort : undefined;
}

interface Known {
  readonly recorded: number | undefined;
  readonly live: number | undefined;
  readonly isOthers: (port: number) => boolean;
}

/**
 * The port that a runtime has already. The port of its pods stays, also outside the range: Fluid may have allocated it. A record alone counts
 * only for a port that could be allocated now, since users can write there.
 */
export function knownPort(need: PortNeed, range: PortNeed['range'], { recorded, live, isOthers }: Known): number | undefined {
  const isGood = (port: number) => port === live || (isWithin(range, port) && !isOthers(port));
  return [recorded, live].find((port) => port !== undefined && mayBe(need, port) && isGood(port));
}

export const isWithin = ([first, last]: PortNeed['range'], port: number): boolean => port >= first && port <= last;

export const rangeOf = ({ portRanges }: Pick<Settings, 'portRanges'>, type: string, { range }: PortNeed): PortNeed['range'] =>
  portRanges[type] ?? range;

/** False if the user has chosen this port for another purpose of the runtime. */
const mayBe = ({ except }: PortNeed, port: number): boolean => !except?.includes(port);

/** Reserves a host port that no runtime has; the same port again until it is recorded. `undefined`: the range is used up. */
export type PortAllocator = (uid: string, type: string, need: PortNeed) => number | undefined;

export const portAllocator =
  (settings: Pick<Settings, 'portRanges'>, policy: PortPolicy, table: PortTable, random: () => number = Math.random): PortAllocator =>
  (uid, type, need) => {
    const before = table.reserved(uid)[need.name];
    if (before !== undefined && mayBe(need, before)) return before;
    const [first, last] = rangeOf(settings, type, need);
    const size = last - first + 1;
    const start = policy === 'random' ? Math.floor(random() * size) : 0;
    for (let i = 0; i < size; i++) {
      const port = first + ((start + i) % size);
      if (table.isTaken(port) || !mayBe(need, port)) continue;
      table.reserve(uid, need.name, port);
      return port;
    }
    return undefined;
  };
