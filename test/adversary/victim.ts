import { annotation } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import * as write from '../support/objects.ts';
import type { Dice } from './dice.ts';
import { A, client, PRIVATE, V } from './scene.ts';
import type { World } from './world.ts';

/** The victim's deeds in its namespace, as any user's. Each may come in any order, and does nothing if it makes no sense. */
const deeds: Readonly<Record<string, (world: World) => void>> = {
  'withdraw the grant': (world) => annotate(world, 'shared', ''),
  'grant again': (world) => annotate(world, 'shared', A),
  'more workers': (world) => edit(world, 'JuiceFSRuntime', 'jfs', { replicas: 2 }),
  'fewer workers': (world) => edit(world, 'JuiceFSRuntime', 'jfs', { replicas: 1 }),
  'another tier': (world) =>
    edit(world, 'JuiceFSRuntime', 'jfs', {
      tieredstore: { levels: [{ mediumtype: 'SSD', path: '/var/lib/juicefs', quota: '2Gi', volumeType: 'hostPath' }] },
    }),
  'workers for shared': (world) => edit(world, 'ThinRuntime', 'shared', { worker: { enabled: true }, replicas: 1 }),
  'an option': (world) => edit(world, 'ThinRuntime', 'x-data', { fuse: { options: { a: 'b' } } }),
  'a spec that is not valid': (world) => edit(world, 'ThinRuntime', 'x-data', { profileName: 'none' }),
  'a spec that is valid': (world) => edit(world, 'ThinRuntime', 'x-data', { profileName: 'profile' }),
  'a pod on another node': (world) => put(world, client('second', 'x-data', 'node-3')),
  'no pods of x-data': (world) => {
    for (const pod of ['second', 'app-x-data']) world.server.delete('Pod', V, pod);
  },
  'no x-data': (world) => {
    deeds['no pods of x-data']?.(world);
    world.server.delete('Dataset', V, 'x-data');
  },
  'a new Dataset': (world) => {
    put(world, write.datasetObject('fresh', { mounts: [{ mountPoint: `s3://${PRIVATE}-fresh`, name: 'data' }], placement: 'Shared' }));
    put(world, write.thinRuntime('fresh', { profileName: 'profile', worker: { enabled: true }, replicas: 1 }));
  },
  'no new Dataset': (world) => world.server.delete('Dataset', V, 'fresh'),
  'a second runtime, as a backup had it': (world) => {
    const served = world.server.get('JuiceFSRuntime', V, 'jfs');
    if (!served) return;
    const { labels, ownerReferences } = served.metadata;
    const metadata = {
      ...(labels && { labels }),
      ...(ownerReferences && { ownerReferences }),
      finalizers: ['thin-runtime-controller-finalizer'],
    };
    put(world, write.thinRuntime('jfs', { profileName: 'profile' }, metadata));
  },
  'no second runtime': (world) => world.server.delete('ThinRuntime', V, 'jfs'),
  'a DataLoad': (world) => put(world, { ...base('DataLoad', 'load'), spec: { dataset: { name: 'jfs', namespace: V } } } as KubeObject),
};
export type Deed = string;

/** The deed that takes back another. */
const undone: Readonly<Record<Deed, Deed>> = {
  'withdraw the grant': 'grant again',
  'more workers': 'fewer workers',
  'a spec that is not valid': 'a spec that is valid',
  'a pod on another node': 'no pods of x-data',
  'a new Dataset': 'no new Dataset',
  'a second runtime, as a backup had it': 'no second runtime',
};

/** The victim's deeds in one program, in order: a deed is often taken back by the next. */
export function scriptOf(dice: Dice): readonly Deed[] {
  const script: Deed[] = [];
  while (script.length < LENGTH) {
    const i = script.length;
    const back = undone[script.at(-1) ?? ''];
    script.push(back !== undefined && dice.is(`back ${i}`, 0.5) ? back : dice.pick(`deed ${i}`, Object.keys(deeds)));
  }
  return script;
}
const LENGTH = 6;

export const act = (world: World, deed: Deed): void => deeds[deed]?.(world);

const base = (kind: string, name: string) => ({ apiVersion: 'data.fluid.io/v1alpha1', kind, metadata: { name } });
const put = (world: World, object: KubeObject) => void world.server.put({ ...object, metadata: { ...object.metadata, namespace: V } });
function change(world: World, kind: string, name: string, how: (object: KubeObject) => KubeObject): void {
  const object = world.server.get(kind, V, name);
  if (!object || object.metadata.deletionTimestamp) return;
  const { resourceVersion: _, ...metadata } = object.metadata;
  world.server.put(how({ ...object, metadata } as KubeObject));
}
const edit = (world: World, kind: string, name: string, spec: object) =>
  change(world, kind, name, (object) => ({ ...object, spec: { ...(object['spec'] as object), ...spec } }));
const annotate = (world: World, name: string, list: string) =>
  change(world, 'Dataset', name, ({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotation.sharedWith]: list } },
  }));
