import { runtimes } from '../../../runtimes/_all.gen.ts';
import { label, operationKinds } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { ownedKinds } from '../../../src/reconciler/kubernetes/kinds.ts';
import { admits } from '../../../src/testing/api-server/controllers/scheduling.ts';
import type { ApiServer } from '../../../src/testing/api-server/index.ts';
import type { WireAnswer, WireRequest } from '../front.ts';
import type { Process, VirtualTime } from '../time.ts';

const SOURCES = new Set(['Dataset', ...operationKinds.map(({ kind }) => kind), ...runtimes.map(({ resource }) => resource.kind)]);
/** A pass, with its retries, takes no longer. */
const PASS_MS = 40_000;
const MINUTE_MS = 60_000;
const MOST_REPAIRS = 8;
const MOST_IDLE = 2;

interface Seen {
  /** When it last read an object of a user afresh. */
  readMs: number;
  /** What it created, by kind, namespace, name and owner. */
  readonly created: Set<string>;
  readonly secretReads: Map<string, number>;
  readonly repairs: Map<string, number[]>;
  /** Writes that changed nothing. */
  readonly idle: Map<string, number>;
}

/** Keys for SSH are created once, for one operation. */
const isOperations = ({ metadata }: KubeObject): boolean => metadata.ownerReferences?.some(({ kind }) => !RUNTIME_KINDS.has(kind)) === true;
const RUNTIME_KINDS = new Set(runtimes.map(({ resource }) => resource.kind));

/** Holds what the appliers write to their invariants (A1 to A13), as the API server sees it. */
export interface ApplierCheck {
  sent(process: Process, request: WireRequest): string | undefined;
  answered(process: Process, request: WireRequest, answer: WireAnswer, before: KubeObject | undefined): string | undefined;
  /** A user has edited something: repairs that follow are no fight. */
  edited(): void;
}

export function createApplierCheck(server: ApiServer, time: VirtualTime): ApplierCheck {
  const known = new Map<Process, Seen>();
  let editedMs = 0;
  const of = (process: Process): Seen => {
    const entry = known.get(process) ?? {
      readMs: Number.NEGATIVE_INFINITY,
      created: new Set<string>(),
      secretReads: new Map(),
      repairs: new Map(),
      idle: new Map(),
    };
    known.set(process, entry);
    return entry;
  };
  const idOf = ({ type, namespace, name, body }: WireRequest): string => {
    const metadata = (body as KubeObject | undefined)?.metadata;
    return `${type.kind} ${namespace ?? ''}/${name ?? metadata?.name} of ${metadata?.labels?.[label.owner] ?? ''}`;
  };

  return {
    edited() {
      editedMs = time.nowMs;
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
        if (time.nowMs - entry.readMs > PASS_MS) return `${idOf(request)} was deleted, and what that follows from was not read afresh (A5)`;
      }
      if (verb === 'create' && !isRun && entry.created.has(idOf(request)) && time.nowMs - entry.readMs > PASS_MS)
        return `${idOf(request)} was created again, and what that follows from was not read afresh (A6)`;
      return undefined;
    },
    answered(process, request, { status }, before) {
      const { verb, type } = request;
      const entry = of(process);
      if (verb === 'get' && SOURCES.has(type.kind) && status < 300) entry.readMs = time.nowMs;
      if (!(type.kind in ownedKinds) || status >= 300) return undefined;
      if (verb === 'create') entry.created.add(idOf(request));
      if (verb !== 'apply' || !before) return undefined;
      const after = server.get(before.kind, before.metadata.namespace, before.metadata.name);
      if (after?.metadata.resourceVersion === before.metadata.resourceVersion) {
        // Once may be a race with another writer, who made the same of it meanwhile.
        const times = (entry.idle.get(idOf(request)) ?? 0) + 1;
        entry.idle.set(idOf(request), times);
        if (times > MOST_IDLE) return `${idOf(request)} was applied ${times} times, and nothing differed (A4)`;
      }
      return fight(entry, request) ?? (after && displaced(before, after));
    },
  };

  function fight({ repairs }: Seen, request: WireRequest): string | undefined {
    const id = idOf(request);
    const times = [...(repairs.get(id) ?? []).filter((at) => at > Math.max(editedMs, time.nowMs - MINUTE_MS)), time.nowMs];
    repairs.set(id, times);
    return times.length > MOST_REPAIRS ? `${id} was repaired ${times.length} times within a minute (A9)` : undefined;
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
      // It has been there for longer than the list of pods is remembered.
      if (Date.parse(pod.metadata.creationTimestamp ?? '') > time.nowMs - 15_000) continue;
      const node = server.get('Node', undefined, nodeName);
      if (node && admits(node, podSpec(before)) === 'yes' && admits(node, podSpec(after)) === 'no')
        return `DaemonSet ${namespace}/${name} no longer selects ${nodeName}, where pod ${pod.metadata.name} mounts the claim (A12)`;
    }
    return undefined;
  }
}
