import type { Fault } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';

/** An object that is created, or whose spec is changed. */
export interface Judged {
  readonly object: KubeObject;
  /** As it is stored. Absent: it is created. */
  readonly before?: KubeObject;
}

export interface Judgement {
  /** Faults of the object itself. */
  readonly faults: readonly Fault[];
  /** Doubts about it, and faults of other objects, a line each. */
  readonly warnings: readonly string[];
}

/** Another object of the cluster; undefined if it does not exist, or cannot be read. */
export type Find = (kind: string, namespace: string | undefined, name: string) => Promise<KubeObject | undefined>;

/** Judges an object by itself, and together with those that `find` has. Objects of unknown kinds have no faults. */
export type Judge = (judged: Judged, find: Find) => Promise<Judgement>;
