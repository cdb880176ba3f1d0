import { annotation } from '../api/index.ts';
import type { Runtime } from '../constructs/index.ts';
import type { RuntimeObject } from './objects.ts';

export type Ports = Readonly<Record<string, number>>;

interface PortRecord {
  readonly for: string;
  readonly ports: Ports;
}

/**
 * The ports that a runtime's annotation records. A record that was copied from another runtime names another UID and does not count. Nor do
 * ports that the kind has no use for: users can write there, and no other runtime gets a port that counts.
 * threat-model: R-ports
 */
export function recordedPorts({ metadata }: Pick<RuntimeObject, 'metadata'>, { hostPorts }: Pick<Runtime, 'hostPorts'>): Ports {
  const text = metadata.annotations?.[annotation.ports];
  if (!text) return {};
  try {
    const record = JSON.parse(text) as Partial<PortRecord>;
    if (record.for !== metadata.uid) return {};
    const ports = new Map(
      hostPorts.flatMap((name) => {
        const port = Object.hasOwn(record.ports ?? {}, name) ? record.ports?.[name] : undefined;
        return isPort(port) ? [[port, name] as const] : [];
      }),
    );
    return Object.fromEntries([...ports].map(([port, name]) => [name, port]));
  } catch {
    return {};
  }
}
const isPort = (port: unknown): port is number => Number.isInteger(port) && Number(port) > 0 && Number(port) < 2 ** 16;

export const portRecord = (uid: string, ports: Ports): string => JSON.stringify({ for: uid, ports } satisfies PortRecord);

/** Which runtime has which host port. The record is in the runtimes' annotations; a reservation counts until the watch shows it there. */
export interface PortTable {
  /** A runtime as its watch shows it. */
  seen(runtime: Pick<RuntimeObject, 'metadata'>, kind: Pick<Runtime, 'hostPorts'>): void;
  /** A runtime was deleted, whether or not anything was ever created for it: its ports are free. */
  gone(uid: string): void;
  isTaken(port: number): boolean;
  /** Whether another runtime has it, as well or alone. */
  isOthers(uid: string, port: number): boolean;
  reserve(uid: string, name: string, port: number): void;
  reserved(uid: string): Ports;
}

/** threat-model: R-ports */
export function createPortTable(): PortTable {
  const owners = new Map<string, { readonly text: string | undefined; readonly recorded: Ports; readonly reserved: Ports }>();
  // By port: two runtimes may record the same one, which is free when the last of them is deleted. A free one is looked for through thousands.
  const uses = new Uint32Array(2 ** 16);

  function count(ports: Ports, by: 1 | -1): void {
    for (const port of Object.values(ports)) uses[port] = usesOf(port) + by;
  }
  const usesOf = (port: number): number => uses[port] ?? 0;
  function set(uid: string, text: string | undefined, recorded: Ports, reserved: Ports): void {
    const before = owners.get(uid);
    count(recorded, 1);
    count(reserved, 1);
    if (before) {
      count(before.recorded, -1);
      count(before.reserved, -1);
    }
    if (Object.keys(recorded).length + Object.keys(reserved).length > 0) owners.set(uid, { text, recorded, reserved });
    else owners.delete(uid);
  }

  return {
    seen(runtime, kind) {
      const { uid = '', annotations } = runtime.metadata;
      const before = owners.get(uid);
      const text = annotations?.[annotation.ports];
      if (before ? before.text === text : !text || kind.hostPorts.length === 0) return;
      // An edit that is undone finds the same port again, though the record has lost it meanwhile.
      set(uid, text, recordedPorts(runtime, kind), before?.reserved ?? {});
    },
    gone: (uid) => set(uid, undefined, {}, {}),
    isTaken: (port) => usesOf(port) > 0,
    isOthers(uid, port) {
      const { recorded = {}, reserved = {} } = owners.get(uid) ?? {};
      return usesOf(port) > [...Object.values(recorded), ...Object.values(reserved)].filter((own) => own === port).length;
    },
    reserve(uid, name, port) {
      const { text, recorded = {}, reserved = {} } = owners.get(uid) ?? {};
      if (reserved[name] !== port) set(uid, text, recorded, { ...reserved, [name]: port });
    },
    reserved: (uid) => owners.get(uid)?.reserved ?? {},
  };
}
