/** The answers of the library of kstatus, and of the health check of Argo CD, about the objects that the real controller leaves on an API server in memory. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runtimes } from '../../runtimes/_all.gen.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { canRun } from '../support/can-run.ts';
import { memoryExec } from '../support/memory-exec.ts';
import * as write from '../support/objects.ts';
import { type Harness, harness } from '../reconciler/harness.ts';
import { annotated, backup, bound, ended, load, ON_DEMO, process, running } from '../reconciler/operations/given.ts';
import { lackingReader, read } from './reader.ts';

const LUA = ['lua', join(import.meta.dirname, '../../examples/gitops/resource_customizations/data.fluid.io/_/health.lua')];

/** `kind: kstatus, Argo CD` for each; Argo CD asks no check about an object that is being deleted. */
function healthOf(at: Harness, ...names: readonly (readonly [kind: string, name?: string])[]): readonly string[] {
  const objects = names.map(([kind, name]) => at.get(kind, name) as KubeObject);
  const argo = read(LUA, objects);
  return read(['kstatus'], objects).map(({ status }, i) => `${names[i]?.[0]}: ${status}, ${argo[i]?.status}`);
}
const DATASET = ['Dataset'] as const;
const JUICEFS = ['JuiceFSRuntime'] as const;
const WARM = ['DataLoad', 'warm'] as const;

/** Dataset and runtime of one kind, as users write them. */
const open = (kind: string, runtime: KubeObject, mountPoint = 's3://bucket', options = {}) =>
  [kind, [write.datasetObject('demo', { mounts: [{ mountPoint, name: 'data', options }] }), runtime]] as const;
const tieredstore = { levels: [{ mediumtype: 'MEM' as const, path: '/dev/shm', quota: '1Gi' }] };
const kinds = [
  open('ThinRuntime', write.thinRuntime('demo', { profileName: 'profile' })),
  open('AlluxioRuntime', write.alluxioRuntime('demo', { replicas: 1, tieredstore })),
  open('JindoRuntime', write.jindoRuntime('demo', { replicas: 1, tieredstore }), 'oss://bucket/spark', {
    'fs.oss.endpoint': 'oss.example',
  }),
  open('EFCRuntime', write.efcRuntime('demo', { replicas: 1, tieredstore }), 'nfs://0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/images'),
  open('VineyardRuntime', write.vineyardRuntime('demo', { replicas: 1, tieredstore })),
  open('CacheRuntime', write.cacheRuntime('demo', { runtimeClassName: 'plain' })),
] as const;

describe.skipIf(!canRun('health by kstatus', lackingReader()))('health by kstatus and by Argo CD', () => {
  test.each(kinds)('a %s is in progress without a Dataset and while it is set up, and current then', async (kind, [dataset, runtime]) => {
    const at = await harness({ runtimes, exec: memoryExec().exec, probeMs: 60_000 });
    at.put(write.plainClass('worker', 'client'));
    at.put(runtime);
    await at.quiet();
    expect(healthOf(at, [kind])).toEqual([`${kind}: InProgress, Progressing`]);
    at.controllers.paused.add('claims').add('volumes').add('statefulsets');
    at.put(dataset);
    await at.quiet();
    expect(healthOf(at, DATASET, [kind])).toEqual(['Dataset: InProgress, Progressing', `${kind}: InProgress, Progressing`]);
    at.controllers.paused.clear();
    await at.quiet();
    expect(healthOf(at, DATASET, [kind])).toEqual(['Dataset: Current, Healthy', `${kind}: Current, Healthy`]);
  });
  test('a Dataset without its Secret, then with it, with a wrong edit, without workers, and deleted while a pod reads', async () => {
    const at = await harness();
    at.put(write.jfsDataset('demo'));
    await at.quiet();
    expect(healthOf(at, DATASET)).toEqual(['Dataset: InProgress, Progressing']);
    at.put(write.jfsRuntime('demo'));
    await at.quiet();
    expect(healthOf(at, DATASET, JUICEFS)).toEqual(['Dataset: InProgress, Progressing', 'JuiceFSRuntime: InProgress, Progressing']);
    at.put(write.jfsSecret());
    await at.quiet(40_000);
    expect(healthOf(at, DATASET, JUICEFS)).toEqual(['Dataset: Current, Healthy', 'JuiceFSRuntime: Current, Healthy']);

    const { replicas } = (at.get('JuiceFSRuntime') as KubeObject)['spec'] as { replicas: number };
    at.edit('JuiceFSRuntime', { replicas: -1 });
    await at.quiet();
    expect(healthOf(at, DATASET, JUICEFS)).toEqual(['Dataset: Failed, Degraded', 'JuiceFSRuntime: Failed, Degraded']);
    at.edit('JuiceFSRuntime', { replicas });
    await at.quiet();
    expect(healthOf(at, DATASET, JUICEFS)).toEqual(['Dataset: Current, Healthy', 'JuiceFSRuntime: Current, Healthy']);

    at.controllers.unready.add('ml/demo-worker');
    await at.quiet();
    expect(healthOf(at, DATASET, JUICEFS)).toEqual(['Dataset: InProgress, Degraded', 'JuiceFSRuntime: InProgress, Progressing']);
    at.controllers.unready.delete('ml/demo-worker');
    at.put(write.reader('reads', 'demo'));
    await at.quiet();
    at.delete('Dataset');
    await at.quiet();
    expect(healthOf(at, DATASET)).toEqual([expect.stringMatching(/^Dataset: Terminating, /)]);
    expect(at.get('Dataset')?.['status']).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'False' })]),
    });
  });
  test('an object that another owner has under a name of ours is a failure', async () => {
    const at = await harness();
    at.put({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'demo' },
      spec: { accessModes: ['ReadOnlyMany'] },
    } as KubeObject);
    at.put(write.openDataset('demo'));
    at.put(write.thinRuntime('demo', { profileName: 'profile' }));
    await at.quiet();
    expect(healthOf(at, DATASET, ['ThinRuntime'])).toEqual(['Dataset: Failed, Degraded', 'ThinRuntime: Failed, Degraded']);
  });
  test('an operation waits, runs, is paused, and is complete; an edit after its end changes nothing', async () => {
    const at = await harness();
    at.put(load());
    await at.quiet();
    expect(healthOf(at, WARM)).toEqual(['DataLoad: InProgress, Progressing']);
    for (const object of [write.jfsSecret(), write.jfsDataset('demo'), write.jfsRuntime('demo')]) at.put(object);
    await at.quiet();
    expect(healthOf(at, WARM)).toEqual(['DataLoad: InProgress, Progressing']);
    annotated(at, 'warm', { 'data.fluid.io/paused': 'true' });
    await at.quiet();
    expect(healthOf(at, WARM)).toEqual(['DataLoad: InProgress, Suspended']);
    annotated(at, 'warm', { 'data.fluid.io/paused': undefined });
    await at.quiet();
    await ended(at, 'Succeeded');
    expect(healthOf(at, WARM)).toEqual(['DataLoad: Current, Healthy']);
    at.edit('DataLoad', { loadMetadata: true }, 'warm');
    await at.quiet();
    expect(healthOf(at, WARM)).toEqual(['DataLoad: Current, Healthy']);
  });
  test('an operation whose Job fails is a failure', async () => {
    const at = await running();
    for (let i = 0; i < 4; i++) await ended(at, 'Failed');
    expect(healthOf(at, WARM)).toEqual(['DataLoad: Failed, Degraded']);
  });
  test('a schedule is current before its first time, and while it is suspended in progress', async () => {
    const at = await bound();
    at.put(load({ ...ON_DEMO, policy: 'Cron', schedule: '0 1 * * *' }));
    await at.quiet();
    expect(healthOf(at, WARM)).toEqual(['DataLoad: Current, Healthy']);
    annotated(at, 'warm', { 'data.fluid.io/paused': 'true' });
    await at.quiet();
    expect(healthOf(at, WARM)).toEqual(['DataLoad: InProgress, Suspended']);
  });
  test('a process and a migration are in progress, and a backup of an engine without backups is a failure', async () => {
    const at = await bound();
    at.put(process({}, 'process'));
    at.put(backup({}, 'backup'));
    at.put({
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: 'DataMigrate',
      metadata: { name: 'migrate' },
      spec: { from: { dataset: { name: 'demo', namespace: 'ml' } }, to: { externalStorage: { uri: 's3://elsewhere' } } },
    } as KubeObject);
    await at.quiet();
    expect(healthOf(at, ['DataProcess', 'process'], ['DataBackup', 'backup'], ['DataMigrate', 'migrate'])).toEqual([
      'DataProcess: InProgress, Progressing',
      'DataBackup: Failed, Degraded',
      'DataMigrate: InProgress, Progressing',
    ]);
  });
});
