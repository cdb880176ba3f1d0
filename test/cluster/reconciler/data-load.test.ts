/** DataLoads on a real API server with Kubernetes' own Job controller; what their pods do is simulated. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../../support/objects.ts';
import { eventually, type Sluice, type Space, says, startSluice } from '../../support/sluice.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';

describe.skipIf(!simulated).concurrent('a DataLoad', () => {
  let sluice: Sluice;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane());
  });
  afterAll(() => sluice?.stop());

  async function bound(): Promise<Space> {
    const space = await sluice.space('load');
    await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo'));
    await space.bound('JuiceFSRuntime', 'demo');
    return space;
  }

  test('runs as a Job, shows how far it is, and is what kubectl waits for', async () => {
    const space = await bound();
    const held = await sluice.plane.pods.hold({ namespace: space.namespace, name: 'warm-loader-job-*' }, { as: 'Running' });
    await space.create(load('warm'));
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Executing', duration: 'Unfinished' } });
    await space.becomes('Dataset', 'demo', { status: { operationRef: { DataLoad: 'warm' } } });
    const job = await space.get('Job', 'warm-loader-job');
    expect(job.metadata.ownerReferences).toMatchObject([{ kind: 'DataLoad', name: 'warm', controller: true }]);
    await held.release();
    await space.kubectl('wait', '--for=condition=complete', '--timeout=60s', 'dataload/warm');
    const [, row = ''] = (await space.kubectl('get', 'load')).trim().split('\n');
    expect(row).toMatch(/^warm\s+demo\s+Complete\s+\d+s\s+\d+s$/);
    await eventually(async () => expect((await space.get('Dataset', 'demo'))['status']).not.toHaveProperty('operationRef'));
    await eventually(async () => expect(await space.events('warm')).toContainEqual(says('Normal DataOperationSucceed')));
    // A DataLoad that is over is left alone.
    await space.delete('Job', 'warm-loader-job');
    await space.gone('Job', 'warm-loader-job');
    await space.patch('DataLoad', 'warm', { metadata: { labels: { touched: 'yes' } } });
    await space.create(load('next'));
    await space.becomes('DataLoad', 'next', { status: { phase: 'Complete' } });
    expect(await space.get('DataLoad', 'warm')).toMatchObject({ status: { phase: 'Complete' } });
    expect(await space.find('Job', 'warm-loader-job')).toBeUndefined();
  });

  test('with a schedule has a CronJob of Kubernetes, and shows its latest Job', async () => {
    const space = await bound();
    await space.create(load('warm', { policy: 'Cron', schedule: '* * * * *' }));
    await space.becomes('CronJob', 'warm-loader-job', {
      metadata: { labels: { 'fluid.io/jobPolicy': 'cron' } },
      spec: { schedule: '* * * * *' },
    });
    const lastScheduleTime = expect.any(String);
    const done = { phase: 'Complete', lastScheduleTime, lastSuccessfulTime: expect.any(String) };
    await space.becomes('DataLoad', 'warm', { status: done }, 150);
    await eventually(async () => expect((await space.get('Dataset', 'demo'))['status']).not.toHaveProperty('operationRef'));
    await space.patch('DataLoad', 'warm', { spec: { schedule: '0 0 1 1 *' } });
    await space.becomes('CronJob', 'warm-loader-job', { spec: { schedule: '0 0 1 1 *' } });
    const held = await sluice.plane.pods.hold({ namespace: space.namespace, name: 'now-*' }, { as: 'Running' });
    await space.kubectl('create', 'job', '--from=cronjob/warm-loader-job', 'now');
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Executing' } });
    await held.release();
    await space.becomes('DataLoad', 'warm', { status: done });
    await space.delete('DataLoad', 'warm');
    await space.gone('CronJob', 'warm-loader-job');
  });

  test('is paused, which ends its pod, goes on in its turn, and runs once more when it is retried', async () => {
    const space = await bound();
    const pods = async (name: string) =>
      (await space.list('Pod')).filter(({ metadata }) => metadata.name.startsWith(`${name}-loader-job-`));
    const held = await sluice.plane.pods.hold({ namespace: space.namespace, name: 'warm-loader-job-*' }, { as: 'Running' });
    await space.create(load('warm'));
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Executing' } });
    await eventually(async () => expect(await pods('warm')).toHaveLength(1));
    await space.kubectl('annotate', 'dataload/warm', 'data.fluid.io/paused=true');
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Pending', conditions: [{ reason: 'Paused' }] } });
    expect(await space.get('Job', 'warm-loader-job')).toMatchObject({ spec: { suspend: true } });
    expect(await pods('warm')).toEqual([]);
    await space.create(load('next'));
    await space.becomes('DataLoad', 'next', { status: { phase: 'Complete' } });
    await space.kubectl('annotate', 'dataload/warm', 'data.fluid.io/paused-');
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Executing' } });
    await eventually(async () => expect(await pods('warm')).toHaveLength(1));
    await held.release();
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Complete' } });
    const { uid } = (await space.get('Job', 'warm-loader-job')).metadata;
    await space.kubectl('annotate', 'dataload/warm', 'data.fluid.io/retry=once more');
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Complete', observedRetry: 'once more' } });
    expect((await space.get('Job', 'warm-loader-job')).metadata.uid).not.toBe(uid);
  });
});

const load = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataLoad',
  metadata: { name },
  spec: { dataset: { name: 'demo' }, target: [{ path: '/spark' }], ...more },
});
