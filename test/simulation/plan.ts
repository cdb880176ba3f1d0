import type { KubeObject } from '../../src/kube/types.ts';
import type { Verb } from '../../src/api-server/rules.ts';

/** All that happens in one world besides what the controller does: data, so that parts of it can be left out. */
export interface Plan {
  readonly seed: number;
  /** Processes that take part in the election. */
  readonly candidates: number;
  readonly nodes: number;
  /** Between two probes of a cache, ms. */
  readonly probeMs: number;
  /** Between two reads of Secrets that are written, ms; 0: never. */
  readonly secretMs: number;
  /** CPU time of each pass, ms. */
  readonly passMs: number;
  /** A webhook changes images, for ever. */
  readonly mutates: boolean;
  /** Variables of the environment that decide how objects are rendered. */
  readonly env: Readonly<Record<string, string>>;
  /** Keys that a process reconciles at a time. */
  readonly concurrency: number;
  /** Objects of this kind are denied, for ever. */
  readonly denied?: string;
  /** Objects that exist before the first event. */
  readonly given: readonly KubeObject[];
  readonly happenings: readonly Happening[];
  /** When all faults have ended, ms from the start. Users may leave things wrong for ever. */
  readonly calmMs: number;
}

/** Something that happens `atMs` after the start. */
export type Happening = { readonly atMs: number } & (Deed | Fault);

/** Deeds of users and operators. */
export type Deed =
  /** Creates an object, if none of its name exists. */
  | { readonly does: 'create'; readonly object: KubeObject }
  /** A merge patch. */
  | { readonly does: 'edit'; readonly kind: string; readonly namespace: string; readonly name: string; readonly patch: object }
  | { readonly does: 'delete'; readonly kind: string; readonly namespace: string; readonly name: string }
  /**
   * Concerns one of the objects that the controller created. `lose`: it is deleted. `vandalize`: a label is changed. `disown`: the label of its
   * owner is. `forge`: a user of another namespace claims that an object belongs to the same owner.
   */
  | { readonly does: 'lose' | 'vandalize' | 'disown' | 'forge'; readonly which: number }
  | { readonly does: 'free the lease' }
  /** A namespace is deleted with all that is in it, or made anew. */
  | { readonly does: 'namespace'; readonly name: string; readonly is: 'added' | 'removed' }
  | { readonly does: 'node'; readonly name: string; readonly is: 'added' | 'removed' | 'tainted' | 'free' };

/** Faults that last for a while. */
export type Fault =
  | RequestFault
  | {
      readonly fails: 'watch';
      readonly kind: string | undefined;
      readonly how: 'stalled' | 'broken' | 'closed' | 'gone' | 'repeated';
      readonly forMs: number;
    }
  | ProcessFault
  /** The first action of a process that begins to lead throws once. */
  | { readonly fails: 'leading'; readonly forMs: number }
  /** Another writer changes an object back, again and again. */
  | { readonly fails: 'rival'; readonly which: number; readonly forMs: number }
  | { readonly fails: 'clock'; readonly aheadMs: number }
  /** Admission refuses writes of a kind: a quota, a webhook. */
  | { readonly fails: 'admission'; readonly kinds: readonly string[]; readonly message: string; readonly forMs: number }
  /** A quota allows no pods in the namespaces of users: the controllers of Kubernetes make none, and say so in events. */
  | { readonly fails: 'quota'; readonly forMs: number }
  /** Controllers of Kubernetes that do nothing. */
  | { readonly fails: 'controllers'; readonly which: readonly string[]; readonly forMs: number }
  /** Pods of these workloads do not become ready. */
  | { readonly fails: 'pods'; readonly of: string; readonly forMs: number }
  | { readonly fails: 'commands'; readonly how: 'refused' | 'hang'; readonly forMs: number };

/** Faults of a process. A new one starts after a while, and one that stood still goes on. */
export interface ProcessFault {
  readonly fails: 'process';
  /**
   * `killed`: as by SIGKILL. `ended`: told to end, as by SIGTERM. `stopped`: stands still, as by SIGSTOP. `suspended`: so does its machine, with
   * its monotonic clock.
   */
  readonly how: 'killed' | 'ended' | 'stopped' | 'suspended';
  /** `all`: one after the other at once, as when a Deployment is deleted. */
  readonly whose: 'leader' | 'standby' | 'all';
  /** Not at a time but at this write from then on, of whoever leads: before the server has it, or before its answer comes. */
  readonly at?: { readonly write: number; readonly when: 'before' | 'after' };
  readonly forMs: number;
}

/** Requests that go wrong, each with this probability. */
export interface RequestFault {
  readonly fails: 'requests';
  readonly verbs?: readonly Verb[];
  readonly kinds?: readonly string[];
  readonly share: number;
  readonly how: 'refused' | 'unsent' | 'lost' | 'unheard' | 'late';
  /** HTTP status of a refusal. */
  readonly status?: number;
  /** How late. */
  readonly lateMs?: number;
  readonly forMs: number;
}

/** One line for each happening, for people. */
export function said(happening: Happening): string {
  const { atMs, ...rest } = happening;
  const at = `${(atMs / 1000).toFixed(3)} s`;
  if ('does' in rest) {
    if (rest.does === 'create') return `${at} create ${nameOf(rest.object)} ${JSON.stringify(rest.object['spec'] ?? {})}`;
    if (rest.does === 'edit') return `${at} edit ${rest.kind} ${rest.namespace}/${rest.name} ${JSON.stringify(rest.patch)}`;
    if (rest.does === 'delete') return `${at} delete ${rest.kind} ${rest.namespace}/${rest.name}`;
    return `${at} ${rest.does} ${JSON.stringify({ ...rest, does: undefined })}`;
  }
  const { fails, ...how } = rest;
  return `${at} ${fails} ${JSON.stringify(how)}`;
}

/** As messages name an object: `<kind> <namespace>/<name>`. */
export const nameOf = ({ kind, metadata: { namespace, name } }: KubeObject): string => `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
