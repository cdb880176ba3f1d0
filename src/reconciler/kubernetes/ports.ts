import { annotation } from '../../api/index.ts';
import type { PortNeed, Settings } from '../../constructs/index.ts';
import type { LiveObject, RuntimeObject } from '../world.ts';

export type PortPolicy = 'random' | 'bitmap';
type Ports = Readonly<Record<string, number>>;

interface Record_ {
  readonly for: string;
  readonly ports: Ports;
}

/** The ports that a runtime's annotation records. One that was copied from another runtime names another UID and does not count. */
export function recordedPorts({ metadata }: Pick<RuntimeObject, 'metadata'>): Ports {
  const text = metadata.annotations?.[annotation.ports];
  if (!text) return {};
  try {
    const record = JSON.parse(text) as Partial<Record_>;
    return record.for === metadata.uid
      ? Object.fromEntries(Object.entries(record.ports ?? {}).filter(([, port]) => Number.isInteger(port)))
      : {};
  } catch {
    return {};
  }
}
export const portRecord = (uid: string, ports: Ports): string => JSON.stringify({ for: uid, ports } satisfies Record_);

interface Workload {
  readonly template?: {
    readonly spec?: {
      readonly hostNetwork?: boolean;
      readonly containers?: readonly { readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[] }[];
    };
  };
}

/** The port that a runtime set up by Fluid has, so that taking it over changes nothing. */
export function livePort({ portName }: PortNeed, workload: LiveObject | undefined): number | undefined {
  const { hostNetwork, containers } = (workload?.['spec'] as Workload | undefined)?.template?.spec ?? {};
  // In a network of its own every pod may have the same.
  return hostNetwork ? containers?.[0]?.ports?.find(({ name }) => name === portName)?.containerPort : undefined;
}

/** Says which host ports are free. The record is in the runtimes' annotations; this only bridges the moment until we see them. */
export function createPortAllocator(
  settings: Pick<Settings, 'portRanges'>,
  policy: PortPolicy,
  others: () => Iterable<Pick<RuntimeObject, 'metadata'>>,
  random: () => number = Math.random,
) {
  const reserved = new Map<string, Ports>();
  return {
    /** `undefined` when the range is used up. */
    allocate(uid: string, type: string, need: PortNeed): number | undefined {
      const before = reserved.get(uid)?.[need.name];
      if (before !== undefined) return before;
      const [first, last] = settings.portRanges[type] ?? need.range;
      const taken = takenPorts(uid);
      const size = last - first + 1;
      const start = policy === 'random' ? Math.floor(random() * size) : 0;
      for (let i = 0; i < size; i++) {
        const port = first + ((start + i) % size);
        if (taken.has(port)) continue;
        reserved.set(uid, { ...reserved.get(uid), [need.name]: port });
        return port;
      }
      return undefined;
    },
    release: (uid: string) => reserved.delete(uid),
  };

  function takenPorts(asker: string): ReadonlySet<number> {
    const runtimes = [...others()];
    const alive = new Set(runtimes.map(({ metadata }) => metadata.uid));
    // One that went before anything was made for it was never taken down.
    for (const uid of reserved.keys()) if (uid !== asker && !alive.has(uid)) reserved.delete(uid);
    return new Set([...reserved.values(), ...runtimes.map(recordedPorts)].flatMap((ports) => Object.values(ports)));
  }
}
