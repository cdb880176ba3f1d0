import { ownedKinds } from '../../../src/planning/kinds.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { nameOf } from '../plan.ts';
import type { Process, VirtualTime } from '../time.ts';

/** Whether the event of a write of its own wakes a key (S4). */
export interface EchoCheck {
  /** The process remembers what it wrote. */
  remembered(process: Process, object: KubeObject): void;
  /** The process finds an object of this name deleted: its own write of it, which a watch may show only now, is forgotten. */
  foundGone(process: Process, name: string): void;
  /** A watch shows it an object. */
  shown(process: Process, object: KubeObject): void;
  /** The process asks for a pass over a key. */
  added(process: Process, key: string): string | undefined;
}

/** A volume may begin or end to refer to a Dataset, which wakes that one. */
const SILENT = new Set(Object.keys(ownedKinds).filter((kind) => kind !== 'PersistentVolume'));

export function createEchoCheck(time: VirtualTime): EchoCheck {
  /** The newest write of each object. */
  const written = new Map<Process, Map<string, string | undefined>>();
  const echoes = new Map<Process, { readonly event: number; readonly object: string }>();

  return {
    remembered(process, object) {
      const versions = written.get(process) ?? new Map<string, string | undefined>();
      written.set(process, versions.set(nameOf(object), object.metadata.resourceVersion));
    },
    foundGone: (process, name) => void written.get(process)?.delete(name),
    shown(process, object) {
      const { resourceVersion } = object.metadata;
      if (SILENT.has(object.kind) && written.get(process)?.get(nameOf(object)) === resourceVersion)
        echoes.set(process, { event: time.events, object: `${nameOf(object)} ${resourceVersion}` });
    },
    added(process, key) {
      const echo = echoes.get(process);
      return echo?.event === time.events ? `${process.name}: its own write of ${echo.object} woke ${key} (S4)` : undefined;
    },
  };
}
