import {
  annotation,
  type Dataset,
  datasetFinalizer,
  exclusiveNodeLabel,
  fuseNodeLabel,
  type Manifest,
  type ObjectMeta,
  runtimeFinalizer,
} from '../api/index.ts';
import type { Command, Runtime, Settings } from '../constructs/index.ts';
import type { KubeObject } from '../kube/types.ts';
import type { Cluster, Notice } from '../reconciler/cluster.ts';
import { differences } from '../reconciler/compare.ts';
import { isOurs } from '../reconciler/kubernetes/apply.ts';
import { cacheLabels, keysOf } from '../reconciler/kubernetes/node-labels.ts';
import { portRecord } from '../reconciler/kubernetes/port-table.ts';
import { equal, mergePatch } from '../reconciler/merge-patch.ts';
import { datasetMarks, type Marks, markPatch, runtimeMarks, unmarkPatch } from '../reconciler/metadata.ts';
import { retain } from '../reconciler/retain.ts';
import type { Failure, LiveObject, RuntimeObject, World } from '../reconciler/world.ts';
import type { MemoryObjects } from './memory-objects.ts';
import { memoryObserver, memoryParts } from './memory-observe.ts';

/** Something that was written, or that should have been. */
export interface Effect {
  readonly verb: 'create' | 'apply' | 'delete' | 'mark' | 'unmark' | 'status' | 'run' | 'clean' | 'label' | 'unlabel' | 'release' | 'nudge';
  /** `Kind/name`. */
  readonly object: string;
}

export interface MemoryCluster extends Cluster {
  readonly objects: MemoryObjects;
  /** What was written, in order. */
  readonly effects: Effect[];
  readonly notices: (Notice & { readonly object: string })[];
  /** By node. */
  readonly nodeLabels: Map<string, Record<string, string>>;
  /** Called before each effect; what it throws is what the effect throws. */
  before: (effect: Effect) => void;
  /** The same, once the effect is there. */
  after: (effect: Effect) => void;
  /** Why an object is refused; undefined where it is not. */
  refuse: (manifest: Manifest) => Failure['reason'] | undefined;
  /** Whether a command fails that was asked for. */
  commandFails: (command: Command) => boolean;
  probes: World['probes'];
  /** One thing that goes on beside the loop: the rest of Kubernetes, or a command that ends. False when nothing does. */
  step(): boolean;
}

export interface MemoryClusterOptions {
  readonly runtimes: readonly Runtime[];
  readonly settings?: Partial<Settings>;
}

/** A cluster in memory, for the logic of reconciling alone: what it says of Kubernetes proves nothing. */
export function memoryCluster({ runtimes, settings = {} }: MemoryClusterOptions): MemoryCluster {
  const parts = memoryParts(runtimes, settings);
  const { objects, mounted, cleaned, nodeLabels, portTable, identify, inventory, podsOf, workloadOf } = parts;
  const pending: (() => void)[] = [];

  function effect<T>(verb: Effect['verb'], object: string, perform: () => T): T {
    const what = { verb, object };
    self.before(what);
    const result = perform();
    self.effects.push(what);
    self.after(what);
    return result;
  }

  /** As the API server does it: an older version is a conflict. */
  function patch(
    verb: 'mark' | 'unmark',
    { kind, metadata }: RuntimeObject | Dataset,
    change: (metadata: ObjectMeta) => ObjectMeta | undefined,
  ): void {
    const live = objects.get(kind, metadata.namespace, metadata.name);
    if (!live || live.metadata.uid !== metadata.uid) throw new Error(`${kind} ${metadata.name} is gone`);
    const changed = change(live.metadata as ObjectMeta);
    if (!changed) return;
    effect(verb, refOf(live), () => {
      if (live.metadata.resourceVersion !== metadata.resourceVersion) throw new Error(`${kind} ${metadata.name} has changed`);
      objects.put({ ...live, metadata: changed as LiveObject['metadata'] });
    });
  }
  const mark = (object: RuntimeObject | Dataset, marks: Marks) =>
    patch('mark', object, (metadata) => (markPatch(metadata, marks) ? marked(metadata, marks) : undefined));

  function write(object: RuntimeObject | Dataset, status: object, only: 'all' | 'given'): boolean {
    const live = objects.get(object.kind, object.metadata.namespace, object.metadata.name);
    if (!live || live.metadata.uid !== object.metadata.uid) return false;
    const changes = mergePatch(live.status ?? {}, status as Record<string, unknown>, only);
    if (!changes) return false;
    effect('status', refOf(live), () => objects.put({ ...live, status: merged(live.status ?? {}, changes) as Record<string, unknown> }));
    return true;
  }

  function applyOne(world: World, manifest: Manifest, report: { created: string[]; changed: string[]; immutable: unknown[] }): void {
    const name = refOf(manifest);
    const live = objects.get(manifest.kind, manifest.metadata.namespace, manifest.metadata.name);
    const refusal = self.refuse(manifest) ?? (live && !isOurs(live, ownerOf(world), parts) ? 'NameTaken' : undefined);
    if (refusal) throw new Refused(refusal);
    if (!live) {
      effect('create', name, () => objects.put(manifest as KubeObject));
      report.created.push(name);
      return;
    }
    const { manifest: desired, immutable } = retain(manifest, live);
    report.immutable.push(...immutable);
    if (differences(desired, live).length === 0 || live.metadata.deletionTimestamp) return;
    effect('apply', name, () => objects.put(merged(live, desired as Record<string, unknown>) as unknown as LiveObject));
    report.changed.push(name);
  }

  const self: MemoryCluster = {
    objects,
    effects: [],
    notices: [],
    nodeLabels,
    before: () => {},
    after: () => {},
    refuse: () => undefined,
    commandFails: () => false,
    get probes() {
      return parts.probes;
    },
    set probes(probes) {
      parts.probes = probes;
    },
    log: { info() {}, warn() {} },
    now: () => objects.now,
    step() {
      const job = pending.shift();
      job?.();
      return job !== undefined || objects.step();
    },
    ...memoryObserver(parts),

    async mark({ world, identity, marks }) {
      const { uid = '' } = world.runtime.metadata;
      const annotations: Record<string, string> =
        Object.keys(marks.ports).length > 0 ? { [annotation.ports]: portRecord(uid, marks.ports) } : {};
      mark(world.runtime, runtimeMarks(world.plan.plan.type, world.runtime.metadata.uid ?? '', identity, annotations));
      mark(
        world.dataset,
        datasetMarks(
          identity,
          marks.claims.map((claim) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...claim })),
        ),
      );
    },
    async markDataset(key, dataset) {
      mark(dataset, datasetMarks(identify(key, dataset), []));
    },
    async unmark(runtime, object) {
      const finalizer = runtimeFinalizer(runtime.type);
      patch('unmark', object, (metadata) => unmarkPatch(metadata, finalizer) && without(metadata, finalizer));
      cleaned.delete(object.metadata.uid ?? '');
      portTable.gone(object.metadata.uid ?? '');
    },
    async unmarkDataset(dataset) {
      patch('unmark', dataset, (metadata) => unmarkPatch(metadata, datasetFinalizer) && without(metadata, datasetFinalizer));
    },

    async apply(world, manifests) {
      const report = {
        created: [] as string[],
        changed: [] as string[],
        pruned: [],
        failed: [] as Failure[],
        immutable: [] as never[],
        waiting: [] as never[],
      };
      for (const manifest of manifests) {
        try {
          applyOne(world, manifest, report);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          report.failed.push({ reason: error.message, object: refOf(manifest), message: 'refused' });
        }
      }
      return report;
    },
    async prune(world, keep) {
      const kept = new Set(keep.map(refOf));
      const extra = inventory(ownerOf(world).uid).filter((object) => !kept.has(refOf(object)) && !object.metadata.deletionTimestamp);
      await self.delete(extra, []);
      return extra.map(refOf);
    },
    async delete(gone) {
      for (const object of gone) effect('delete', refOf(object), () => objects.delete(object));
    },
    async refreshFuse() {},
    run(world, commands) {
      effect('run', world.key.name, () => {
        const { uid = '' } = world.runtime.metadata;
        if (pending.length > 0) return;
        pending.push(() => {
          const paths = mounted.get(uid) ?? new Set();
          mounted.set(uid, paths);
          for (const command of commands.filter((each) => !self.commandFails(each))) {
            const wanted = world.plan.mounts?.wanted.find(({ mount }) => equal(mount, command));
            if (wanted) paths.add(wanted.path);
            for (const path of paths) if (equal(world.plan.mounts?.unmount(path), command)) paths.delete(path);
          }
        });
      });
    },
    async clean({ object, plan, cleaning }) {
      const { uid = '' } = object.metadata;
      effect('clean', object.metadata.name, () => {
        cleaned.set(uid, { attempts: cleaning.attempts + 1, running: true });
        pending.push(() => {
          const fails = plan?.cleanup?.commands('id').some((command) => self.commandFails(command));
          cleaned.set(uid, { attempts: cleaning.attempts + 1, running: false, ...(fails && { error: 'it failed' }) });
        });
      });
    },
    async release(_world, volume, to) {
      const { claimRef, ...spec } = volume['spec'] as { claimRef?: Record<string, unknown> };
      const { uid: _, ...free } = claimRef ?? {};
      effect('release', refOf(volume), () =>
        objects.put({ ...volume, spec: { ...spec, claimRef: { ...free, ...(to && { uid: to.metadata.uid }) } } }),
      );
    },
    nudge: (claim) => effect('nudge', refOf(claim), () => {}),

    place({ key, plan: { plan, roles } }) {
      if (!roles.includes('worker')) return;
      const labels = cacheLabels(plan);
      const nodes = podsOf(workloadOf(key, 'worker')).map((pod) => String(pod['nodeName']));
      for (const node of nodes) {
        const carried = nodeLabels.get(node) ?? {};
        if (Object.entries(labels).every(([each, value]) => carried[each] === value)) continue;
        effect('label', `Node/${node}`, () => nodeLabels.set(node, { ...carried, ...labels }));
      }
    },
    async unlabelNodes({ runtime, identity }) {
      const gone = new Set([...keysOf(runtime.type, identity), fuseNodeLabel(identity), exclusiveNodeLabel]);
      for (const [node, carried] of nodeLabels)
        effect('unlabel', `Node/${node}`, () =>
          nodeLabels.set(node, Object.fromEntries(Object.entries(carried).filter(([each]) => !gone.has(each)))),
        );
    },

    writeRuntimeStatus: async (object, status) => write(object, status, 'all'),
    writeDatasetStatus: async (dataset, status) => write(dataset, status, 'given'),
    notice: ({ kind, metadata: { name } }, notice) => void self.notices.push({ ...notice, object: `${kind}/${name}` }),
  };
  return self;
}

class Refused extends Error {}

const ownerOf = ({ runtime, key }: Pick<World, 'runtime' | 'key'>) => ({ uid: runtime.metadata.uid ?? '', ...key });

const refOf = ({ kind, metadata: { name } }: { readonly kind: string; readonly metadata: { readonly name: string } }): string =>
  `${kind}/${name}`;

const without = (metadata: ObjectMeta, finalizer: string): ObjectMeta => ({
  ...metadata,
  finalizers: (metadata.finalizers ?? []).filter((each) => each !== finalizer),
});

function marked(metadata: ObjectMeta, { finalizer, labels, annotations, owners = [] }: Marks): ObjectMeta {
  const kept = (metadata.ownerReferences ?? []).filter(
    ({ kind, name }) => !owners.some((owner) => owner.kind === kind && owner.name === name),
  );
  return {
    ...metadata,
    finalizers: [...new Set([...(metadata.finalizers ?? []), finalizer])],
    labels: { ...metadata.labels, ...labels },
    annotations: { ...metadata.annotations, ...annotations },
    ownerReferences: [...kept, ...owners],
  };
}

/** RFC 7386, which is near enough to what apply does with fields that nobody takes away. */
function merged(target: unknown, change: unknown): unknown {
  if (!isMap(change)) return change;
  const result: Record<string, unknown> = isMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}
const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
