/** A DataProcess: a script or a pod of the user, on a Dataset of any runtime. */
import { expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import thinRuntimes from '../../../runtimes/thin/index.ts';
import type { DataProcessSpec } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { alluxioFileSystem } from '../../support/alluxio-exec.ts';
import { alluxioRuntime, openDataset, thinRuntime } from '../../support/objects.ts';
import { type Harness, harness, type HarnessOptions } from '../harness.ts';
import { ended, eventsOf, process, statusOf } from './given.ts';

async function thin(options: HarnessOptions = {}): Promise<Harness> {
  const at = await harness(options);
  at.put(openDataset('demo'));
  at.put(thinRuntime('demo', { profileName: 'profile' }));
  await at.quiet();
  expect(at.dataset().phase).toBe('Bound');
  return at;
}
const jobOf = (at: Harness) =>
  at.get('Job', 'op-processor-job') as unknown as { spec: { template: { spec: Record<string, unknown> } } } | undefined;

test('runs a script of the user, with the Dataset mounted', async () => {
  const at = await thin();
  at.put(process({ dataset: { name: 'demo', mountPath: '/data', subPath: 'sub' } }));
  await at.quiet();
  expect(statusOf(at, 'op', 'DataProcess').phase).toBe('Executing');
  expect(at.dataset().operationRef).toEqual({ DataProcess: 'op' });
  expect(at.get('ConfigMap', 'op-processor-scripts')).toMatchObject({ data: { 'preprocess.sh': 'ls /data' } });
  expect(jobOf(at)?.spec.template.spec).toMatchObject({
    restartPolicy: 'Never',
    containers: [{ image: 'busybox:1', command: ['sh'], args: ['/fluid-scripts/preprocess.sh'] }],
  });
  expect(JSON.stringify(jobOf(at))).toContain('{"mountPath":"/data","name":"fluid-dataset-vol","subPath":"sub"}');
  await ended(at, 'Succeeded', '', 'op');
  expect(statusOf(at, 'op', 'DataProcess')).toMatchObject({
    phase: 'Complete',
    conditions: [{ type: 'Complete', reason: 'CompletionsReached' }],
  });
  expect(eventsOf(at, 'DataProcess')).toEqual(['DataOperationSucceed']);
});

test('runs a pod of the user, with the Dataset in every container', async () => {
  const at = await thin();
  const container = (name: string) => ({ name, image: 'p:1', command: ['ls'] });
  const podSpec = { containers: [container('a'), container('b')], initContainers: [container('i')], serviceAccountName: 'own' };
  at.put(process({ processor: { serviceAccountName: 'other', job: { podSpec } } }));
  await at.quiet();
  const mounts = [{ name: 'fluid-dataset-vol', mountPath: '/data' }];
  expect(jobOf(at)?.spec.template.spec).toMatchObject({
    serviceAccountName: 'own',
    containers: [
      { name: 'a', volumeMounts: mounts },
      { name: 'b', volumeMounts: mounts },
    ],
    initContainers: [{ name: 'i', volumeMounts: mounts }],
  });
  expect(at.get('ConfigMap', 'op-processor-scripts')).toBeUndefined();
});

const clash = { name: 'c', image: 'i', volumeMounts: [{ name: 'x', mountPath: '/data/' }] };
test.each<[string, Partial<DataProcessSpec>, string, readonly string[]]>([
  ['without a processor', { processor: {} }, 'ProcessorNotSpecified', ['spec.processor: expected a script or a job']],
  [
    'with two, each of which mounts something where the Dataset is',
    { processor: { script: { image: 'i', source: '', volumeMounts: clash.volumeMounts }, job: { podSpec: { containers: [clash] } } } },
    'MultipleProcessorSpecified',
    ['found both', 'spec.processor.script.volumeMounts[0].mountPath', 'job.podSpec.containers[0].volumeMounts[0].mountPath'],
  ],
  ['with a mount in the way', { processor: { job: { podSpec: { containers: [clash] } } } }, 'ConflictMountPath', ['found "/data/"']],
  ['about another namespace', { dataset: { name: 'demo', namespace: 'web', mountPath: '/data' } }, 'TargetDatasetNamespaceNotSame', ['ml']],
  ['on a schedule that it lacks', { policy: 'Cron' }, 'ScheduleNotSpecified', ['spec.schedule']],
  [
    'whose pod always starts again',
    { processor: { job: { podSpec: { containers: [{ name: 'c' }], restartPolicy: 'Always' } } } },
    'InvalidSpec',
    ['restartPolicy: expected Never or OnFailure'],
  ],
])('%s fails at once', async (_, spec, reason, texts) => {
  const at = await thin();
  at.put(process(spec));
  await at.quiet();
  const { phase, conditions } = statusOf(at, 'op', 'DataProcess');
  expect(phase).toBe('Failed');
  expect(conditions).toMatchObject([{ type: 'Failed', status: 'True', reason }]);
  for (const text of texts) expect(conditions?.[0]?.message).toContain(text);
  expect(eventsOf(at, 'DataProcess')).toEqual([reason === 'InvalidSpec' ? 'DataOperationNotValid' : reason]);
  expect(at.server.all('Job')).toEqual([]);
});

test('with a schedule it is looked at again after each run', async () => {
  const at = await thin();
  at.put(process({ policy: 'Cron', schedule: '* * * * *' }));
  await at.quiet();
  for (const run of ['1', '2']) {
    const { apiVersion, kind, metadata, spec } = at.get('CronJob', 'op-processor-job') as KubeObject & {
      spec: { jobTemplate: KubeObject };
    };
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true };
    const job = { ...spec.jobTemplate.metadata, name: `op-processor-job-${run}`, ownerReferences: [owner] };
    at.put({ ...spec.jobTemplate, apiVersion: 'batch/v1', kind: 'Job', metadata: job });
    await at.quiet();
    expect(statusOf(at, 'op', 'DataProcess').phase).toBe('Executing');
    await at.advance(60_000);
    await ended(at, 'Succeeded', '', 'op');
    expect(statusOf(at, 'op', 'DataProcess').phase).toBe('Complete');
  }
});

test('pods of an operation that is over do not keep the Dataset from being deleted, nor does its schedule', async () => {
  const at = await thin();
  at.put(process({}, 'once'));
  at.put(process({ policy: 'Cron', schedule: '* * * * *' }, 'nightly'));
  await at.quiet();
  await ended(at, 'Succeeded', '', 'once');
  expect(at.get('Job', 'once-processor-job')).toBeDefined();
  at.put(process({}, 'runs'));
  await at.quiet();
  at.delete('Dataset');
  await at.quiet();
  // One that runs mounts it.
  expect(at.get('Dataset')).toBeDefined();
  expect(statusOf(at, 'runs', 'DataProcess').phase).toBe('Executing');
  await ended(at, 'Succeeded', '', 'runs');
  await at.advance(60_000);
  await at.quiet();
  expect([at.get('Dataset'), ...at.server.all('DataProcess'), ...at.server.all('Job'), ...at.server.all('CronJob')]).toEqual([undefined]);
});
test('once it is over, its status stays when the runtime is deleted alone', async () => {
  const at = await thin();
  at.put(process({}, 'once'));
  await at.quiet();
  await ended(at, 'Succeeded', '', 'once');
  at.delete('ThinRuntime');
  await at.advance(60_000);
  await at.quiet();
  expect([at.get('ThinRuntime'), statusOf(at, 'once', 'DataProcess').phase, at.server.all('Job')]).toEqual([undefined, 'Complete', []]);
});

test('a schedule does not keep a runtime that is being deleted while another one of its name waits to serve the Dataset', async () => {
  const at = await thin({ runtimes: [thinRuntimes, alluxio], exec: alluxioFileSystem().exec });
  at.put(alluxioRuntime('demo', { replicas: 1 }));
  at.put(process({ policy: 'Cron', schedule: '0 3 * * *' }));
  await at.quiet();
  expect(at.get('CronJob', 'op-processor-job')).toBeDefined();
  at.delete('ThinRuntime', 'demo');
  await at.advance(60_000);
  expect(at.get('ThinRuntime', 'demo')).toBeUndefined();
  expect(at.dataset().runtimes).toMatchObject([{ type: 'alluxio' }]);
  expect(at.get('CronJob', 'op-processor-job')).toBeDefined();
});

test('the objects of a schedule are created again after a fresh read of its operation', async () => {
  const at = await thin();
  at.put(process({ policy: 'Cron', schedule: '0 3 * * *' }));
  await at.quiet();
  expect(statusOf(at, 'op', 'DataProcess').phase).toBe('Pending');
  at.forget();
  at.delete('ConfigMap', 'op-processor-scripts');
  await at.quiet();
  expect(at.get('ConfigMap', 'op-processor-scripts')).toBeDefined();
  expect(at.server.requests.filter(({ kind, verb }) => kind === 'DataProcess' && verb === 'get')).toHaveLength(1);
  expect(at.written()).toContain('create ConfigMap/op-processor-scripts');
});
