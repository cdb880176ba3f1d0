/** Operations on a JuiceFS of a real node: a script and a pod of the user, a chain of them, and one with a schedule. */
import { expect } from 'vitest';
import type { DataProcessSpec, OperationStatus } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { BUSYBOX_IMAGE } from '../../harness/index.ts';
import type { Space } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { dataLoad, PATIENCE_S } from './dataset-users.ts';

const [image = '', imageTag = ''] = BUSYBOX_IMAGE.split(':');

/** The Dataset has `/folder/numbers` with the lines 1 to 100,000. */
export async function runsOperations(space: Space, dataset: string): Promise<void> {
  const process = (name: string, processor: DataProcessSpec['processor'], more: Partial<DataProcessSpec> = {}): KubeObject => ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataProcess',
    metadata: { name },
    spec: { dataset: { name: dataset, mountPath: '/data' }, processor, ...more },
  });
  const script = (source: string) => ({ script: { image, imageTag, command: ['sh', '-e'], source } });
  const statusOf = async (kind: 'DataProcess' | 'DataLoad', name: string) => (await space.get(kind, name))['status'] as OperationStatus;
  const complete = { status: { phase: 'Complete' } };

  await step('a script, a pod after it and a load after that run in order, where the script ran', async () => {
    const container = { name: 'main', image: BUSYBOX_IMAGE, command: ['sh', '-ec', '[ "$(cat /data/folder/lines)" = 100000 ]'] };
    const after = (kind: 'DataProcess', name: string) => ({ runAfter: { kind, name, affinityStrategy: { policy: 'Require' as const } } });
    const load = dataLoad('third', dataset, '/folder');
    await space.create(
      // In the wrong order, with a schedule whose Job may run between them.
      { ...load, spec: { ...(load['spec'] as object), ...after('DataProcess', 'second') } },
      process('second', { job: { podSpec: { restartPolicy: 'Never', containers: [container] } } }, after('DataProcess', 'first')),
      process('each-minute', script('echo tick >> /data/folder/ticks'), { policy: 'Cron', schedule: '* * * * *' }),
      process('first', script('wc -l < /data/folder/numbers | tr -d " " > /data/folder/lines')),
    );
    await space.becomes('DataLoad', 'third', complete, PATIENCE_S);
    const ends = [];
    for (const [kind, name] of [
      ['DataProcess', 'first'],
      ['DataProcess', 'second'],
      ['DataLoad', 'third'],
    ] as const)
      ends.push((await statusOf(kind, name)).conditions[0]?.lastTransitionTime ?? '');
    expect(ends.toSorted()).toEqual(ends);
    const affinity = JSON.stringify((await statusOf('DataProcess', 'first')).nodeAffinity);
    expect(affinity).toContain('kubernetes.io/hostname');
    expect(JSON.stringify((await space.get('Job', 'third-loader-job'))['spec'])).toContain(affinity.slice(1, -1));
  });
  await step('a schedule fires', async () => {
    // The CronJob says that its Job was complete some time after the Job does.
    const times = { lastScheduleTime: expect.any(String) as string, lastSuccessfulTime: expect.any(String) as string };
    await space.becomes('DataProcess', 'each-minute', { status: { ...complete.status, ...times } }, PATIENCE_S);
    await space.delete('DataProcess', 'each-minute');
    await space.gone('CronJob', 'each-minute-processor-job');
  });
  await step('what a script says that fails is in its condition', async () => {
    await space.create(process('fails', { script: { ...script('ls /data/nowhere').script, restartPolicy: 'Never' } }));
    await space.becomes('Job', 'fails-processor-job', { status: { active: 1 } });
    // Else the Job would try three more times.
    await space.patch('Job', 'fails-processor-job', { spec: { backoffLimit: 0 } });
    await space.becomes('DataProcess', 'fails', { status: { phase: 'Failed' } }, PATIENCE_S);
    expect((await statusOf('DataProcess', 'fails')).conditions[0]?.message).toContain('/data/nowhere');
  });
}
