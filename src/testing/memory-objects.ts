import type { KubeObject } from '../kube/types.ts';
import { equal } from '../reconciler/merge-patch.ts';
import type { LiveObject } from '../reconciler/world.ts';

export interface MemoryObjects {
  get(kind: string, namespace: string | undefined, name: string): LiveObject | undefined;
  byUid(uid: string): LiveObject | undefined;
  all(kind?: string): readonly LiveObject[];
  /** Makes an object, or replaces the one of its name; the same content is no new version. */
  put(object: KubeObject): LiveObject;
  /** As a user or the API server deletes: at once, or once the last finalizer is gone. */
  delete(object: KubeObject): void;
  /** The next thing that the rest of Kubernetes would do; false when there is nothing to do. */
  step(): boolean;
  /** Workloads, `<namespace>/<name>`, whose pods do not become ready. */
  readonly unready: Set<string>;
  /** Milliseconds since the epoch. */
  now: number;
}

/** The objects of a cluster in a Map, and the parts of Kubernetes without which nothing goes on: workloads, volume binding, garbage collection. */
export function memoryObjects(): MemoryObjects {
  const objects = new Map<string, LiveObject>();
  const unready = new Set<string>();
  let serial = 0;

  const self: MemoryObjects = {
    now: Date.parse('2026-01-02T03:04:05Z'),
    unready,
    get: (kind, namespace, name) => objects.get(idOf(kind, namespace, name)),
    byUid: (uid) => [...objects.values()].find(({ metadata }) => metadata.uid === uid),
    all: (kind) => [...objects.values()].filter((object) => kind === undefined || object.kind === kind),
    put(object) {
      const id = idOf(object.kind, object.metadata.namespace, object.metadata.name);
      const before = objects.get(id);
      if (before && equal(contentOf(object), contentOf(before))) return before;
      const isEdited = !equal(object['spec'], before?.['spec']);
      const version = ++serial;
      const made: LiveObject = {
        ...object,
        metadata: {
          creationTimestamp: new Date(self.now).toISOString().replace(/\.\d+/, ''),
          ...(PROTECTION[object.kind] && { finalizers: [PROTECTION[object.kind]!] }),
          ...object.metadata,
          uid: before?.metadata.uid ?? `00000000-0000-4000-8000-${String(version).padStart(12, '0')}`,
          generation: (before?.metadata.generation ?? 0) + (isEdited || !before ? 1 : 0),
          resourceVersion: String(version),
        },
      };
      objects.set(id, made);
      if (made.metadata.deletionTimestamp && !made.metadata.finalizers?.length) objects.delete(id);
      return made;
    },
    delete(object) {
      const live = objects.get(idOf(object.kind, object.metadata.namespace, object.metadata.name));
      if (!live || live.metadata.uid !== object.metadata.uid) return;
      self.put({
        ...live,
        metadata: { ...live.metadata, deletionTimestamp: live.metadata.deletionTimestamp ?? new Date(self.now).toISOString() },
      });
    },
    step: () => self.all().some((object) => collect(object) || work(object) || bind(object) || unprotect(object)),
  };

  /** What owns it is gone. */
  function collect(object: LiveObject): boolean {
    const { ownerReferences = [], deletionTimestamp } = object.metadata;
    if (ownerReferences.length === 0 || deletionTimestamp || ownerReferences.some(({ uid }) => self.byUid(uid))) return false;
    self.delete(object);
    return true;
  }

  /** Workloads make pods and count them. */
  function work(object: LiveObject): boolean {
    if (object.kind !== 'StatefulSet' || object.metadata.deletionTimestamp) return false;
    const { namespace = '', name, uid, generation } = object.metadata;
    const { replicas = 1, template } = object['spec'] as {
      replicas?: number;
      template?: { metadata?: { labels?: Record<string, string> } };
    };
    const ready = !unready.has(`${namespace}/${name}`);
    const pods = self.all('Pod').filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
    const surplus = pods.find(({ metadata }) => Number(metadata.name.slice(name.length + 1)) >= replicas);
    if (surplus) {
      self.delete(surplus);
      return true;
    }
    const before = serial;
    for (let i = 0; i < replicas; i++)
      self.put({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: `${name}-${i}`,
          namespace,
          labels: template?.metadata?.labels ?? {},
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true }],
        },
        nodeName: `node-${i + 1}`,
        phase: 'Running',
        container: 'main',
        ready,
      });
    const count = ready ? replicas : 0;
    self.put({ ...object, status: { observedGeneration: generation, replicas, readyReplicas: count, availableReplicas: count } });
    return serial > before;
  }

  /** The volume controller. */
  function bind(object: LiveObject): boolean {
    const before = serial;
    if (object.kind === 'PersistentVolume') {
      const { claimRef } = object['spec'] as { claimRef?: { uid?: string; namespace?: string; name: string } };
      const claim = claimRef && self.get('PersistentVolumeClaim', claimRef.namespace, claimRef.name);
      const phase = !claimRef?.uid ? 'Available' : claim?.metadata.uid === claimRef.uid ? 'Bound' : 'Released';
      self.put({ ...object, status: { phase } });
    }
    if (object.kind === 'PersistentVolumeClaim') {
      const { volumeName = '' } = object['spec'] as { volumeName?: string };
      const volume = self.get('PersistentVolume', undefined, volumeName);
      const spec = (volume?.['spec'] ?? {}) as { claimRef?: { uid?: string } };
      const wasBound = object.status?.['phase'] === 'Bound' || object.status?.['phase'] === 'Lost';
      if (volume && spec.claimRef && !spec.claimRef.uid && !volume.metadata.deletionTimestamp && !wasBound)
        self.put({ ...volume, spec: { ...spec, claimRef: { ...spec.claimRef, uid: object.metadata.uid } } });
      const isBound = spec.claimRef?.uid === object.metadata.uid;
      self.put({ ...object, status: { phase: isBound ? 'Bound' : wasBound ? 'Lost' : 'Pending' } });
    }
    return serial > before;
  }

  /** Nobody uses it any more. */
  function unprotect(object: LiveObject): boolean {
    const { deletionTimestamp, finalizers = [], namespace, name } = object.metadata;
    const protection = PROTECTION[object.kind];
    if (!deletionTimestamp || !protection || !finalizers.includes(protection)) return false;
    if (
      object.kind === 'PersistentVolume'
        ? object.status?.['phase'] === 'Bound'
        : self.all('Pod').some((pod) => mounts(pod, namespace, name))
    )
      return false;
    self.put({ ...object, metadata: { ...object.metadata, finalizers: finalizers.filter((each) => each !== protection) } });
    return true;
  }
  return self;
}

const PROTECTION: Readonly<Record<string, string>> = {
  PersistentVolume: 'kubernetes.io/pv-protection',
  PersistentVolumeClaim: 'kubernetes.io/pvc-protection',
};

/** Whether a pod that has not ended mounts a claim. */
export function mounts({ metadata, spec, status }: KubeObject, namespace: string | undefined, claim: string): boolean {
  const { volumes = [] } = (spec ?? {}) as { volumes?: readonly { persistentVolumeClaim?: { claimName?: string } }[] };
  const { phase } = (status ?? {}) as { phase?: string };
  const uses = volumes.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim);
  return metadata.namespace === namespace && uses && phase !== 'Succeeded' && phase !== 'Failed';
}

const idOf = (kind: string, namespace: string | undefined, name: string): string => `${kind}/${namespace ?? ''}/${name}`;

/** Without what the API server fills in. */
function contentOf({ metadata, ...rest }: KubeObject): object {
  const { uid: _, resourceVersion: __, generation: ___, creationTimestamp: ____, ...kept } = metadata;
  return { ...rest, metadata: { finalizers: PROTECTION[rest.kind] && [PROTECTION[rest.kind]], ...kept } };
}
