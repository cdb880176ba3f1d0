import { runtimes } from '../../../runtimes/_all.gen.ts';
import { label, operationKinds } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { ownedKinds } from '../../../src/planning/kinds.ts';
import { admits } from '../../../src/api-server/controllers/scheduling.ts';
import type { ApiServer } from '../../../src/api-server/index.ts';
import type { WireAnswer } from '../../../src/api-server/wire/answers.ts';
import type { WireRequest } from '../../../src/api-server/wire/requests.ts';
import type { Process, VirtualTime } from '../time.ts';

const SOURCES = new Set(['Dataset', ...operationKinds.map(({ kind }) => kind), ...runtimes.map(({ resource }) => resource.kind)]);
/** A pass, with its retries, takes no longer. */
const PASS_MS = 40_000;
/** Less than the first pause of a fight (src/reconciler/kubernetes/apply/fights.ts). */
const FIGHT_MS = 29_000;
const MOST_REPAIRS = 8;

interface Seen {
  /** When it last read an object of a user afresh; and each, by the key of its pass, `<namespace>/<name>`. */
  readMs: number;
  readonly reads: Map<string, number>;
  /** Generations of users' objects as the process last saw them. */
  readonly generations: Map<string, number>;
  /** The version in which it last read an object that it may write. */
  readonly versions: Map<string, string | undefined>;
  /** When its pass over a key began. */
  readonly begun: Map<string, number>;
  /** Objects that the process created, by kind, namespace, name and owner. */
  readonly created: Set<string>;
  /** Objects that the process created again without a fresh read in the same pass. */
  readonly unasked: Set<string>;
  readonly secretReads: Map<string, number>;
  readonly repairs: Map<string, number[]>;
  /** The last writes that changed nothing: what was sent, and the generation that stayed. */
  readonly idle: Map<string, string>;
}

/** Keys for SSH are created once, for one operation. */
const isOperations = ({ metadata }: KubeObject): boolean => metadata.ownerReferences?.some(({ kind }) => !RUNTIME_KINDS.has(kind)) === true;
const RUNTIME_KINDS = new Set(runtimes.map(({ resource }) => resource.kind));

/** Holds what the appliers write to their invariants (A1 to A13), as the API server sees it. */
export interface ApplierCheck {
  sent(process: Process, request: WireRequest): string | undefined;
  answered(process: Process, request: WireRequest, answer: WireAnswer, before: KubeObject | undefined): string | undefined;
  /** The answer has come, or never will. */
  delivered(process: Process, request: WireRequest, isTaken: boolean): void;
  /** A user has edited something: repairs that follow are no fight. */
  edited(): void;
  /** A watch has shown the process an object. */
  shown(process: Process, object: KubeObject): void;
  /** The process begins to lead: it knows of nothing that it has written. */
  led(process: Process): void;
  /** A pass over a key begins. */
  began(process: Process, key: string): void;
}

/** @param mutates a webhook changes what is written */
export function createApplierCheck(server: ApiServer, time: VirtualTime, mutates: boolean): ApplierCheck {
  const known = new Map<Process, Seen>();
  /** Keys by UID of users' objects: the key of the pass that writes each one's objects. */
  const keys = new Map<string, string>();
  /** Requests that have failed as far as their processes know. */
  const lost = new WeakSet<WireRequest>();
  const counted = new WeakSet<WireRequest>();
  let editedMs = 0;
  const of = (process: Process): Seen => {
    const entry = known.get(process) ?? {
      readMs: Number.NEGATIVE_INFINITY,
      reads: new Map(),
      generations: new Map(),
      versions: new Map(),
      begun: new Map(),
      created: new Set<string>(),
      unasked: new Set<string>(),
      secretReads: new Map(),
      repairs: new Map(),
      idle: new Map(),
    };
    known.set(process, entry);
    return entry;
  };
  const nameIn = ({ type, namespace, name, body }: WireRequest): string =>
    `${type.kind} ${namespace ?? ''}/${name ?? (body as KubeObject | undefined)?.metadata?.name}`;
  const idOf = ({ type, namespace, name, body }: WireRequest): string => {
    const metadata = (body as KubeObject | undefined)?.metadata;
    return `${type.kind} ${namespace ?? ''}/${name ?? metadata?.name} of ${metadata?.labels?.[label.owner] ?? ''}`;
  };

  /** Whether the process has read afresh what an object follows from, in the pass that writes or deletes it. */
  function isConfirmed({ readMs, reads, begun }: Seen, object: KubeObject | undefined): boolean {
    const key = keys.get(object?.metadata.labels?.[label.owner] ?? '');
    const beganMs = key === undefined ? undefined : begun.get(key);
    // Operations create their own objects, too.
    if (key === undefined || beganMs === undefined || (object && isOperations(object))) return time.nowMs - readMs <= PASS_MS;
    return (reads.get(key) ?? Number.NEGATIVE_INFINITY) >= beganMs;
  }

  /** A process may see an edit later than it was made: repairs that follow are no fight either. */
  function learn({ generations, repairs }: Seen, { kind, metadata: { namespace, name, generation = 1 } }: KubeObject): void {
    const id = `${kind} ${namespace}/${name}`;
    if (generation !== (generations.get(id) ?? 1)) repairs.clear();
    generations.set(id, generation);
  }

  return {
    delivered,
    shown(process, object) {
      if (SOURCES.has(object.kind)) learn(of(process), object);
    },
    edited() {
      editedMs = time.nowMs;
    },
    led(process) {
      // The memory of a leader ends with its time: how often it repaired an object too, and what admission made of its writes.
      const { created, repairs, idle } = of(process);
      for (const each of [created, repairs, idle]) each.clear();
    },
    began(process, key) {
      of(process).begun.set(key.split('/').slice(0, 2).join('/'), time.nowMs);
    },
    sent(process, request) {
      const { verb, type, namespace, name, body } = request;
      const entry = of(process);
      if (type.kind === 'Secret') {
        const id = `${namespace}/${name ?? (body as KubeObject | undefined)?.metadata?.name}`;
        if (verb === 'get') entry.secretReads.set(id, time.nowMs);
        else if (
          (verb === 'apply' || (verb === 'create' && !isOperations(body as KubeObject))) &&
          time.nowMs - (entry.secretReads.get(id) ?? 0) > PASS_MS
        )
          return `Secret ${id} was written and not read before (A11)`;
      }
      if (!(type.kind in ownedKinds)) return undefined;
      if (verb === 'apply' && !(body as KubeObject).metadata.uid) return `${idOf(request)} was applied without the UID that was read (A3)`;
      // Jobs that ended are deleted and created for another run: by their operation, not by the applier.
      const isRun = type.kind === 'Job' || type.kind === 'CronJob';
      if (verb === 'delete' && !isRun) {
        const { preconditions } = (body ?? {}) as { preconditions?: { uid?: string } };
        if (!preconditions?.uid) return `${idOf(request)} was deleted without the UID that was seen (A5)`;
        // Helpers of an operation's Job follow from that Job, which has ended or is paused, and from no source that a read could confirm.
        const object = server.get(type.kind, namespace, name ?? '');
        if (!(object && isOperations(object)) && !isConfirmed(entry, object))
          return `${idOf(request)} was deleted, and what that follows from was not read afresh (A5)`;
      }
      if (verb === 'create' && !isRun && entry.created.has(idOf(request)) && !isConfirmed(entry, body as KubeObject)) {
        // A new plan does not know what the one before it had created.
        const isFirst = !entry.unasked.has(idOf(request)) && time.nowMs - entry.readMs <= PASS_MS;
        entry.unasked.add(idOf(request));
        if (!isFirst) return `${idOf(request)} was created again, and what that follows from was not read afresh (A6)`;
      }
      return undefined;
    },
    answered(process, request, { status }, before) {
      const { verb, type } = request;
      const entry = of(process);
      if (verb === 'get' && SOURCES.has(type.kind) && (status < 300 || status === 404)) {
        const key = `${request.namespace}/${request.name}`;
        entry.readMs = time.nowMs;
        entry.reads.set(key, time.nowMs);
        if (before) learn(entry, before);
        if (before?.metadata.uid) keys.set(before.metadata.uid, key);
      }
      if (!(type.kind in ownedKinds) || status >= 300) return undefined;
      if (verb === 'get') entry.versions.set(nameIn(request), before?.metadata.resourceVersion);
      if (verb === 'create') entry.created.add(idOf(request));
      // An object that the process itself deletes is not lost; and with its Job a run of an operation ends: the next run's objects are all
      // created for it.
      const run = verb === 'delete' && type.kind === 'Job' ? before?.metadata.labels?.[label.owner] : undefined;
      for (const each of verb === 'delete' ? entry.created : [])
        if (each.startsWith(`${nameIn(request)} of `) || (run !== undefined && each.endsWith(` of ${run}`))) entry.created.delete(each);
      if (verb !== 'apply' || !before) return undefined;
      const after = server.get(before.kind, before.metadata.namespace, before.metadata.name);
      if (after?.metadata.resourceVersion === before.metadata.resourceVersion) {
        // Another writer may have made the same of it since it was read; or admission makes of it what it was.
        const { resourceVersion, generation } = before.metadata;
        const sent = `${generation} ${JSON.stringify(request.body)}`;
        if (!mutates && entry.versions.get(nameIn(request)) === resourceVersion)
          return `${idOf(request)} was applied, and nothing differed from what had been read (A4)`;
        // The client had given up before the server had it, and sends it again.
        if (lost.has(request)) return undefined;
        // The object's status may have changed since.
        if (entry.idle.get(nameIn(request)) === sent) return `${idOf(request)} was applied again, although that had changed nothing (A10)`;
        entry.idle.set(nameIn(request), sent);
      } else entry.idle.delete(nameIn(request));
      return (lost.has(request) ? undefined : fight(entry, request)) ?? (after && displaced(before, after));
    },
  };

  /** A write that failed as far as the process knows is sent again. A DaemonSet is applied, then patched: from the beginning. */
  function delivered(process: Process, request: WireRequest, isTaken: boolean): void {
    if (isTaken || (request.verb !== 'apply' && request.verb !== 'patch')) return;
    const { idle, repairs } = of(process);
    lost.add(request);
    idle.delete(nameIn(request));
    // A request does not count as a repair either, unless it was never counted: the server has refused it, or never had it.
    if (request.verb === 'apply' && !counted.has(request)) return;
    for (const [id, times] of repairs) if (id.startsWith(`${nameIn(request)} of `)) times.pop();
  }

  function fight({ repairs }: Seen, request: WireRequest): string | undefined {
    const id = idOf(request);
    const times = [...(repairs.get(id) ?? []).filter((at) => at > Math.max(editedMs, time.nowMs - FIGHT_MS)), time.nowMs];
    repairs.set(id, times);
    counted.add(request);
    return times.length > MOST_REPAIRS ? `${id} was repaired ${times.length} times within half a minute (A9)` : undefined;
  }

  /** A fuse DaemonSet keeps the nodes on which pods mount the claim. */
  function displaced(before: KubeObject, after: KubeObject): string | undefined {
    if (after.kind !== 'DaemonSet') return undefined;
    const { namespace, name } = after.metadata;
    const claim = name.replace(/-(jindofs-)?fuse$/, '');
    const podSpec = (object: KubeObject) => (object['spec'] as { template: { spec: Parameters<typeof admits>[1] } }).template.spec;
    for (const pod of server.all('Pod')) {
      const { nodeName, volumes = [] } = pod['spec'] as {
        nodeName?: string;
        volumes?: readonly { persistentVolumeClaim?: { claimName: string } }[];
      };
      if (pod.metadata.namespace !== namespace || !nodeName || !volumes.some((each) => each.persistentVolumeClaim?.claimName === claim))
        continue;
      // The pod has existed for longer than the list of pods is remembered.
      if (Date.parse(pod.metadata.creationTimestamp ?? '') > time.nowMs - 15_000) continue;
      const node = server.get('Node', undefined, nodeName);
      if (node && admits(node, podSpec(before)) === 'yes' && admits(node, podSpec(after)) === 'no')
        return `DaemonSet ${namespace}/${name} no longer selects ${nodeName}, where pod ${pod.metadata.name} mounts the claim (A12)`;
    }
    return undefined;
  }
}
