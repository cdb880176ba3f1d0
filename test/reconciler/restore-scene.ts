/** Two clusters: one in which a Dataset was bound and worked on, and one into which its objects are restored. */
import { expect } from 'vitest';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { datasetFinalizer, type OperationStatus, ownerUid, type RuntimeStatus } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { castOf } from '../simulation/casts.ts';
import { createRandom } from '../simulation/random.ts';
import { customKinds, madeKinds } from '../support/kinds.ts';
import { memoryExec } from '../support/memory-exec.ts';
import { ownStatus } from '../support/own-status.ts';
import { put, restorable, type Way } from '../support/restore-tools.ts';
import { ended } from './operations/given.ts';
import { type Harness, harness } from './harness.ts';

/** How a restore goes. */
export interface Restore extends Way {
  /** Whether the controller runs while objects come. */
  readonly runs: boolean;
  /** That of the tool, or that of this seed. */
  readonly order: 'tool' | 'volumesLast' | 'ownersLast' | number;
  /** Time of a second restore. */
  readonly again: 'never' | 'at once' | 'later' | 'after a restart';
}

export const cluster = async (given: readonly KubeObject[] = []) => {
  const at = await harness({ runtimes, exec: memoryExec().exec, nodes: 4 });
  for (const object of given) at.server.put(object);
  return at;
};
const user = (kind: string, name: string, spec: object): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind,
  metadata: { name, namespace: 'ml' },
  spec,
});

const LOADS = new Set(['JuiceFSRuntime', 'AlluxioRuntime', 'JindoRuntime', 'CacheRuntime']);
const processing = { image: 'busybox', imageTag: '1', command: ['sh'], source: 'ls /data' };
/** An operation that is complete, one that runs, one with a schedule, and one whose pods have keys of their own. */
const operationsOn = (runtime: string | undefined): readonly KubeObject[] => [
  user('DataProcess', 'done', { dataset: { name: 'demo', mountPath: '/data' }, processor: { script: processing } }),
  user('DataProcess', 'busy', {
    dataset: { name: 'demo', mountPath: '/data' },
    processor: { script: processing },
    runAfter: { kind: 'DataProcess', name: 'done' },
  }),
  ...(LOADS.has(runtime ?? '')
    ? [user('DataLoad', 'nightly', { dataset: { name: 'demo', namespace: 'ml' }, policy: 'Cron', schedule: '0 3 * * *' })]
    : []),
  ...(runtime === 'JuiceFSRuntime'
    ? [
        user('DataMigrate', 'move', {
          from: { externalStorage: { uri: 's3://elsewhere/' } },
          to: { dataset: { name: 'demo', namespace: 'ml' } },
          parallelism: 2,
        }),
      ]
    : []),
];

export interface Origin {
  /** All objects of the first cluster, with UIDs that the second one never gives. */
  readonly objects: readonly KubeObject[];
  readonly made: Readonly<Record<string, unknown>>;
}
const FOREIGN = 'aaaaaaaa-0000-4000-8000-';
const OLD = /aaaaaaaa-0000-4000-8000-\d+/g;

/** A cluster in which the Dataset was bound, and its operations run. */
export async function origin(kind: string): Promise<Origin> {
  const cast = castOf(kind, 'ml', 'demo', createRandom('shared-3'));
  const at = await cluster(cast.given);
  for (const object of cast.objects) at.server.put(object);
  await at.quiet();
  expect(at.dataset().phase).toBe('Bound');
  for (const object of operationsOn(cast.runtime)) at.server.put(object);
  await at.quiet();
  await ended(at, 'Succeeded', '', 'done');
  await at.quiet();
  return exported(at);
}

/** Everything of a cluster, which ends. */
export function exported(at: Harness): Origin {
  const made = madeIn(at);
  const text = JSON.stringify(at.server.all());
  at.kill();
  return { objects: JSON.parse(text.replaceAll('00000000-0000-4000-8000-', FOREIGN)) as KubeObject[], made };
}

/** Everything that was made for runtimes, without what two clusters cannot have in common. */
export function madeIn({ server }: Harness): Readonly<Record<string, unknown>> {
  const all = server.all();
  const names = new Map(all.map(({ kind, metadata: { uid, namespace, name } }) => [uid, `${kind}/${namespace ?? ''}/${name}`]));
  const isOfRuntime = (object: KubeObject) =>
    all.some(({ kind, metadata }) => kind.endsWith('Runtime') && metadata.uid === ownerUid(object));
  const made = all.filter((object) => (madeKinds as readonly string[]).includes(object.kind) && isOfRuntime(object));
  return Object.fromEntries(
    made.map(({ kind, metadata: { namespace, name, labels, ownerReferences }, ...rest }) => {
      const kept = Object.entries(labels ?? {}).filter(([key]) => !key.startsWith('velero.io/'));
      const text = JSON.stringify({ ...rest, status: undefined, labels: Object.fromEntries(kept.toSorted()), ownerReferences });
      const alike = text
        .replaceAll(/00000000-0000-4000-8000-\d+/g, (uid) => names.get(uid) ?? uid)
        .replaceAll(/\b10\.0\.\d+\.\d+/g, 'address');
      // A restored volume names the version of its claim, which nobody reads once they are bound.
      const parsed: unknown = JSON.parse(alike, (key, value) => (key === 'resourceVersion' ? undefined : value));
      return [`${kind}/${namespace ?? ''}/${name}`, parsed];
    }),
  );
}

/** Faults of the cluster after a restore, as texts: one failure shows all. */
export function faultsIn(at: Harness): readonly string[] {
  const all = at.server.all();
  const bound = all.flatMap((object) => {
    const { kind, metadata } = object;
    const name = `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
    if (kind === 'Dataset') {
      const { phase, conditions } = ownStatus<{ phase?: string; conditions?: readonly { message?: string }[] }>(object);
      return phase === 'Bound' || phase === 'DataMigrating'
        ? []
        : [`${name} is ${phase}: ${conditions?.map(({ message }) => message).join('; ')}`];
    }
    if (kind.endsWith('Runtime')) {
      const synced = ownStatus<RuntimeStatus>(object).conditions?.find(({ type }) => type === 'Synced');
      return synced?.status === 'True' ? [] : [`${name} is not synced: ${synced?.reason} ${synced?.message}`];
    }
    const phase = (object['status'] as { phase?: string } | undefined)?.phase;
    if (kind.startsWith('PersistentVolume')) return phase === 'Bound' || phase === 'DataMigrating' ? [] : [`${name} is ${phase}`];
    return [];
  });
  const uids = new Set(all.map(({ metadata }) => metadata.uid));
  const old = all.flatMap((object) => {
    const { managedFields: _, ...metadata } = object.metadata;
    const found = [...new Set(JSON.stringify({ ...object, metadata }).match(OLD))];
    return found.length > 0 ? [`${object.kind} ${object.metadata.name} knows ${found.join(', ')}`] : [];
  });
  const unowned = all.flatMap((object) => {
    const owner = ownerUid(object);
    return owner !== undefined && !uids.has(owner) ? [`${object.kind} ${object.metadata.name} has no owner`] : [];
  });
  return [...bound, ...old, ...unowned];
}

function inOrder(objects: readonly KubeObject[], order: Restore['order']): readonly KubeObject[] {
  if (order === 'tool') return objects;
  const random = createRandom(String(order));
  const chance = new Map(objects.map((object) => [object, random.next()]));
  const late = (object: KubeObject): number => {
    if (order === 'volumesLast') return object.kind === 'PersistentVolume' ? 1 : 0;
    if (order === 'ownersLast') return object.kind === 'Dataset' ? 2 : object.kind.endsWith('Runtime') ? 1 : 0;
    return chance.get(object) ?? 0;
  };
  return objects.toSorted((a, b) => late(a) - late(b));
}

export async function restoreAll(at: Harness, from: Origin, how: Restore): Promise<void> {
  const client = at.server.client({ fieldManager: how.tool });
  // The workloads in memory adopt no pods.
  const objects = restorable(from.objects, how).filter(({ kind }) => kind !== 'Pod');
  for (const name of new Set(objects.map(({ metadata }) => metadata.namespace)))
    if (name && !at.server.get('Namespace', undefined, name)) at.server.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const object of inOrder(objects, how.order)) {
    await put(client, at.server.typeOf(object.kind, object.apiVersion), object, how);
    await at.settle();
    if (how.runs) await at.advance(20);
  }
}

export async function restored(from: Origin, how: Restore): Promise<Harness> {
  const at = await cluster();
  if (how.runs) at.start();
  await restoreAll(at, from, how);
  if (how.again === 'at once') await restoreAll(at, from, how);
  await at.quiet();
  if (how.again === 'later' || how.again === 'after a restart') {
    await restoreAll(at, from, how);
    if (how.again === 'after a restart') await at.restart();
    await at.quiet();
  }
  // Some work is tried again less and less often.
  await at.advance(120_000);
  await at.quiet();
  return at;
}

export const phaseOf = (at: Harness, kind: string, name: string, namespace = 'ml') =>
  ownStatus<OperationStatus>(at.server.get(kind, namespace, name)).phase;

/** The user deletes all Datasets once no pod of an operation mounts them, and nothing that was made for them stays. */
export async function deletedAll(at: Harness, namespace = 'ml'): Promise<void> {
  for (const name of ['done', 'busy'])
    if (phaseOf(at, 'DataProcess', name, namespace) === 'Executing') await ended(at, 'Succeeded', '', name);
  for (const [kind, name] of [
    ['DataLoad', 'nightly'],
    ['DataMigrate', 'move'],
  ] as const)
    at.server.delete(kind, 'ml', name);
  await at.quiet();
  for (const { metadata } of at.server.all('Dataset')) at.server.delete('Dataset', metadata.namespace, metadata.name);
  await at.quiet();
  await at.advance(120_000);
  const left = at.server
    .all()
    .filter(({ kind, metadata }) => (customKinds as readonly string[]).includes(kind) || metadata.labels?.['data.fluid.io/owner-uid']);
  expect(left.map(({ kind, metadata }) => `${kind}/${metadata.name} ${metadata.finalizers?.join()}`)).toEqual([]);
  expect(at.server.all('PersistentVolume').map(({ metadata }) => metadata.name)).toEqual([]);
  const labels = at.server
    .all('Node')
    .flatMap(({ metadata }) => Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith('fluid')));
  expect(labels).toEqual([]);
  expect(at.server.all().filter(({ metadata }) => metadata.finalizers?.includes(datasetFinalizer))).toEqual([]);
}
