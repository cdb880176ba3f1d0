import juicefs from '../../runtimes/juicefs/index.ts';
import thin from '../../runtimes/thin/index.ts';
import type { DatasetStatus, RuntimeStatus } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { reconcile } from '../../src/reconciler/reconcile.ts';
import type { Key, LiveObject } from '../../src/reconciler/world.ts';
import { type MemoryCluster, memoryCluster } from '../../src/testing/memory-cluster.ts';
import example from '../support/example-runtime/index.ts';
import * as write from '../support/objects.ts';

export const demo: Key = { namespace: 'ml', name: 'demo' };

/** A user of a cluster in memory. */
export interface Scene {
  readonly cluster: MemoryCluster;
  /** Makes or changes an object in namespace `ml`. */
  put(object: KubeObject): LiveObject;
  get(kind: string, name?: string): LiveObject | undefined;
  /** As `kubectl edit` of the spec. */
  edit(kind: string, spec: object): void;
  delete(kind: string, name?: string): void;
  dataset(): Partial<DatasetStatus>;
  runtime(kind?: string): Partial<RuntimeStatus>;
  /** By type: `True NotReady: 0 of 1 …`. */
  conditions(kind: string): Record<string, string>;
  /** Passes and everything else, until nothing happens any more; a pass that fails is made again. */
  converge(...keys: readonly Key[]): Promise<void>;
  /** `create PersistentVolume/ml-demo`. */
  written(...verbs: readonly string[]): readonly string[];
}

export function scene(): Scene {
  const cluster = memoryCluster({ runtimes: [thin, juicefs, example] });
  const { objects } = cluster;
  const namespaceOf = (kind: string) => (['PersistentVolume', 'ThinRuntimeProfile'].includes(kind) ? undefined : demo.namespace);
  const self: Scene = {
    cluster,
    put: ({ metadata, ...rest }) => {
      const namespace = namespaceOf(rest.kind);
      return objects.put({ ...rest, metadata: { ...(namespace && { namespace }), ...metadata } } as KubeObject);
    },
    get: (kind, name = demo.name) => objects.get(kind, namespaceOf(kind), name),
    edit(kind, spec) {
      const object = self.get(kind)!;
      objects.put({ ...object, spec: { ...(object['spec'] as object), ...spec } });
    },
    delete: (kind, name) => objects.delete(self.get(kind, name)!),
    dataset: () => (self.get('Dataset')?.status ?? {}) as Partial<DatasetStatus>,
    runtime: (kind = 'ThinRuntime') => (self.get(kind)?.status ?? {}) as Partial<RuntimeStatus>,
    conditions: (kind) =>
      Object.fromEntries(
        ((self.get(kind)?.status?.['conditions'] ?? []) as { type: string; status: string; reason: string; message: string }[]).map(
          ({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`],
        ),
      ),
    async converge(...keys) {
      for (let round = 0; round < 100; round++) {
        const before = cluster.effects.length;
        for (const key of keys.length > 0 ? keys : [demo]) await reconcile(cluster, key).catch(() => {});
        let moved = cluster.effects.length > before;
        for (let step = 0; step < 100 && cluster.step(); step++) moved = true;
        if (!moved) return;
        objects.now += 1000;
      }
      throw new Error(`it goes on for ever: ${self.written().slice(-10).join(', ')}`);
    },
    written: (...verbs) =>
      cluster.effects.filter(({ verb }) => verbs.length === 0 || verbs.includes(verb)).map(({ verb, object }) => `${verb} ${object}`),
  };
  self.put(write.thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' } }));
  return self;
}

export const openDataset = () => write.openDataset(demo.name);
export const thinRuntime = () => write.thinRuntime(demo.name, { profileName: 'profile' });
export const exampleRuntime = (spec: Parameters<typeof write.exampleRuntime>[1] = {}) => write.exampleRuntime(demo.name, spec);

/** A scene in which `ml/demo` is bound. */
export async function boundScene(runtime: KubeObject = thinRuntime()): Promise<Scene> {
  const bound = scene();
  bound.put(openDataset());
  bound.put(runtime);
  await bound.converge();
  bound.cluster.effects.length = 0;
  bound.cluster.notices.length = 0;
  return bound;
}
