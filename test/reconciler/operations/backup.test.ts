/** A DataBackup: the metadata of an Alluxio in files. D1 to D23 are the numbers of defects of Fluid that it would have. */
import { describe, expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import type { AlluxioRuntimeSpec } from '../../../runtimes/alluxio/spec.ts';
import thin from '../../../runtimes/thin/index.ts';
import type { DataBackupSpec } from '../../../src/api/index.ts';
import { controllerRights } from '../../../src/install/rights.ts';
import { alluxioFileSystem } from '../../support/alluxio-exec.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import * as write from '../../support/objects.ts';
import { boundHarness, type Harness } from '../harness.ts';
import { backup, bound, ended, eventsOf, load, statusOf } from './given.ts';

const tiered: AlluxioRuntimeSpec = { replicas: 1, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/cache', quota: '4Gi' }] } };
const DATASET = write.datasetObject('demo', { mounts: [{ mountPoint: 's3://bucket/data/', name: 'data' }] });

async function boundAlluxio(masters = 1, { exec } = alluxioFileSystem()): Promise<Harness> {
  const objects = [DATASET, write.alluxioRuntime('demo', { ...tiered, master: { replicas: masters } })];
  const at = await boundHarness(objects, { exec, runtimes: [thin, alluxio] });
  expect(at.dataset().phase).toBe('Bound');
  return at;
}
/** The same with a DataBackup that runs. */
async function backingUp(spec: DataBackupSpec = {}): Promise<Harness> {
  const at = await boundAlluxio();
  at.put(backup(spec));
  await at.quiet();
  expect(backed(at).phase).toBe('Executing');
  return at;
}
const backed = (at: Harness, name = 'op') => statusOf(at, name, 'DataBackup');
const podSpec = (at: Harness, job = 'op-pod') =>
  JSON.stringify((at.get('Job', job) as unknown as { spec: { template: { spec: object } } } | undefined)?.spec.template.spec);
const nodeOf = (at: Harness, pod: string) => (at.get('Pod', pod) as unknown as { spec: { nodeName: string } }).spec.nodeName;
const uidOf = (at: Harness, pod: string) => at.get('Pod', pod)?.metadata.uid ?? '';

const SAYS = 'BackupLocationPath=pvc://backups/demo\nBackupLocationNodeName=NA\n';
test('runs beside the master, and reports where the files are in the columns of kubectl', async () => {
  const at = await backingUp();
  expect(at.dataset()).toMatchObject({ phase: 'Bound', operationRef: { DataBackup: 'op' } });
  expect(podSpec(at)).toContain(`["${nodeOf(at, 'demo-master-0')}"]`);
  expect(podSpec(at)).toContain(`/pods/${uidOf(at, 'demo-master-0')}/volumes/kubernetes.io~empty-dir/alluxio-journal"`);
  expect(podSpec(at)).toContain('"claimName":"backups"');
  await ended(at, 'Succeeded', SAYS, 'op');
  expect(backed(at)).toMatchObject({
    phase: 'Complete',
    infos: { BackupLocationPath: 'pvc://backups/demo', BackupLocationNodeName: 'NA' },
    conditions: [{ type: 'Complete', status: 'True', reason: 'CompletionsReached' }],
  });
  expect(at.dataset().operationRef).toBeUndefined();
  expect(eventsOf(at, 'DataBackup')).toEqual(['DataOperationSucceed']);
});

test('D1: a controller that starts while it runs reports how it ends', async () => {
  for (const [phase, expected] of [
    ['Succeeded', 'Complete'],
    ['Failed', 'Failed'],
  ] as const) {
    const at = await backingUp();
    at.kill();
    await at.restart();
    await ended(at, phase, '', 'op');
    expect(backed(at).phase).toBe(expected);
    at.kill();
  }
});

test('D2: its pod is created by Kubernetes, so that the controller needs no right to create pods', async () => {
  const at = await backingUp();
  expect(at.written({ verb: 'create' })).toEqual(['create ConfigMap/op-script', 'create Job/op-pod']);
  const verbs = controllerRights([alluxio]).flatMap(({ resources, verbs }) => (resources.includes('pods') ? verbs : []));
  expect(verbs).not.toContain('create');
});

test('fails with its first pod, and says what that printed last', async () => {
  const at = await backingUp();
  await ended(at, 'Failed', 'user 7 cannot write to pvc://backups/demo', 'op');
  const { phase, conditions, infos } = backed(at);
  expect([phase, infos]).toEqual(['Failed', undefined]);
  expect(conditions?.[0]?.message).toContain('printed last: user 7 cannot write to pvc://backups/demo');
  expect(eventsOf(at, 'DataBackup')).toEqual(['DataOperationFailed']);
});

const RUN_AS = { uid: -1, gid: 2 ** 31, user: 'du', group: 'dg' };
test.each<[string, DataBackupSpec, string, readonly string[]]>([
  ['with a path that is neither of a claim nor of a node', { backupPath: 's3://b/c' }, 'PathNotSupported', ['found "s3://b/c"']],
  ['without a path', { backupPath: '' }, 'PathNotSupported', ['spec.backupPath: expected pvc://<claim>/<path> or local:///<path>']],
  ['that leaves its directory', { backupPath: 'local:///a/../../etc' }, 'PathNotSupported', ['without ".."']],
  ['without a Dataset', { dataset: '' }, 'InvalidSpec', ['spec.dataset: expected the name of a Dataset, found nothing']],
  [
    'with all of it',
    { dataset: '', backupPath: 'local://a', runAs: RUN_AS },
    'InvalidSpec',
    ['spec.dataset', 'spec.backupPath', 'spec.runAs.uid: expected 0 to 2147483647, found -1', 'spec.runAs.gid'],
  ],
])('%s it fails at once', async (_, spec, reason, texts) => {
  const at = await boundAlluxio();
  at.put(backup(spec));
  await at.quiet();
  const { phase, conditions } = backed(at);
  expect(phase).toBe('Failed');
  expect(conditions).toMatchObject([{ type: 'Failed', status: 'True', reason }]);
  for (const text of texts) expect(conditions?.[0]?.message).toContain(text);
  expect(eventsOf(at, 'DataBackup')).toEqual([reason === 'InvalidSpec' ? 'DataOperationNotValid' : reason]);
  expect(at.server.all('Job')).toEqual([]);
});
test('a user that has no name fails it, with the field', async () => {
  const at = await boundAlluxio();
  at.put(backup({ runAs: { uid: 7, gid: 8, user: '', group: '' } }));
  await at.quiet();
  expect(backed(at)).toMatchObject({ phase: 'Failed', conditions: [{ reason: 'InvalidSpec' }] });
  expect(backed(at).conditions?.[0]?.message).toContain('DataBackup ml/op: spec.runAs.user: expected a name');
});

describe('D9: the Dataset is as it was', () => {
  test('when a DataBackup is invalid, or deleted while it waits', async () => {
    const at = await boundAlluxio();
    at.controllers.unready.add('ml/demo-worker');
    await at.quiet();
    const before = at.dataset();
    at.put(backup({ backupPath: 'x' }, 'invalid'));
    at.put(backup({}, 'waiting'));
    await at.quiet();
    at.delete('DataBackup', 'waiting');
    await at.quiet();
    expect(at.dataset()).toEqual(before);
  });
  test('when one is deleted while it runs, with its Job', async () => {
    const at = await backingUp();
    at.delete('DataBackup', 'op');
    await at.quiet();
    expect([at.server.all('Job'), at.get('DataBackup', 'op')]).toEqual([[], undefined]);
    expect(at.dataset()).toMatchObject({ phase: 'Bound' });
    expect(at.dataset().operationRef).toBeUndefined();
  });
});

test('D21: the master that runs now is backed up, whatever backups were before', async () => {
  const at = await backingUp();
  await ended(at, 'Succeeded', SAYS, 'op');
  const before = uidOf(at, 'demo-master-0');
  at.delete('DataBackup', 'op');
  at.delete('Pod', 'demo-master-0');
  await at.quiet();
  at.put(backup({}, 'again'));
  await at.quiet();
  expect(uidOf(at, 'demo-master-0')).not.toBe(before);
  expect(podSpec(at, 'again-pod')).toContain(`/pods/${uidOf(at, 'demo-master-0')}/volumes/`);
});

describe('D23: another engine', () => {
  test('is reported as one that cannot do it', async () => {
    const at = await bound();
    at.put(backup());
    await at.quiet();
    expect(backed(at)).toMatchObject({
      phase: 'Failed',
      conditions: [{ type: 'Failed', status: 'True', reason: 'DataOperationNotSupport' }],
    });
    expect(backed(at).conditions?.[0]?.message).toContain('is of kind JuiceFSRuntime, which does not support DataBackup');
    expect(eventsOf(at, 'DataBackup')).toEqual(['DataOperationNotSupport']);
  });
  test('does not keep it for ever', async () => {
    const at = await bound();
    at.put(backup({ ttlSecondsAfterFinished: 60 }));
    await at.quiet();
    expect(backed(at).phase).toBe('Failed');
    await at.advance(61_000);
    await at.quiet();
    expect(at.get('DataBackup', 'op')).toBeUndefined();
  });
});
test('D23: its objects have the label of its Dataset', async () => {
  const at = await backingUp();
  for (const kind of ['Job', 'ConfigMap']) {
    const { labels } = at.get(kind, kind === 'Job' ? 'op-pod' : 'op-script')?.metadata ?? {};
    expect(labels).toMatchObject({ 'fluid.io/dataset-id': 'ml-demo' });
  }
});

test('one backup of a Dataset runs at a time, beside a load, and after what it names', async () => {
  const at = await backingUp();
  at.put(load({ dataset: { name: 'demo' } }));
  at.put(backup({}, 'next'));
  at.put(backup({ runAfter: { kind: 'DataLoad', name: 'warm' } }, 'after'));
  await at.quiet();
  expect(at.dataset().operationRef).toEqual({ DataBackup: 'op', DataLoad: 'warm' });
  expect(backed(at, 'next').conditions).toMatchObject([{ reason: 'WaitingForTurn' }]);
  expect(backed(at, 'after').conditions).toMatchObject([{ reason: 'DataOperationWaiting' }]);
  await ended(at, 'Succeeded', SAYS, 'op');
  expect(backed(at, 'next').phase).toBe('Executing');
});

test('of several masters the one that leads is backed up, once its pod is ready', async () => {
  const files = alluxioFileSystem();
  const at = await boundAlluxio(3, files);
  files.leader = 'demo-master-2';
  const leading = at.get('Pod', 'demo-master-2') as KubeObject;
  at.controllers.unready.add('ml/demo-master-2');
  at.put({ ...leading, status: { ...(leading['status'] as object), conditions: [{ type: 'Ready', status: 'False' }] } } as KubeObject);
  at.put(backup());
  await at.quiet();
  expect(at.get('Job', 'op-pod')).toBeUndefined();
  at.controllers.unready.delete('ml/demo-master-2');
  await at.advance(60_000);
  expect(podSpec(at)).toContain(`["${nodeOf(at, 'demo-master-2')}"]`);
  expect(podSpec(at)).toContain(`/pods/${uidOf(at, 'demo-master-2')}/volumes/`);
});

test('needs no workers: a backup is of the masters', async () => {
  const at = await boundAlluxio();
  at.edit('AlluxioRuntime', { replicas: 0 });
  await at.quiet();
  at.put(backup());
  await at.quiet();
  expect(backed(at).phase).toBe('Executing');
});
