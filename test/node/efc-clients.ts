/** EFC on a real node. Its software is not public: a stand-in has the words of its containers (tools/node/efc-stand-in). */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { BUSYBOX_IMAGE, EFC_STAND_IN_IMAGE } from '../../harness/index.ts';
import { datasetObject, efcRuntime } from '../support/objects.ts';
import { eventually } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { nodeLabels, PATIENCE_S, type Reader, startReader, type Where } from './dataset-users.ts';

const VARIABLES = ['MASTER', 'WORKER', 'FUSE', 'SESSMGR', 'INIT_FUSE'].map((part) => `EFC_${part}_IMAGE_ENV`);
/** For `sluice install --values`, beside `--daemon efc`. */
export const efcValues = { controller: { env: VARIABLES.map((name) => ({ name, value: EFC_STAND_IN_IMAGE })) } };

/** With the session manager that the node plugin asks for, from the first reader to the last trace. */
export async function efcServes({ cluster, space }: Where): Promise<void> {
  let reader: Reader;
  const sessionManagers = async () => (await cluster.plane.kubectl('get', 'pods', '-n', 'efc-system', '-o', 'name')).trim();
  await step('the Dataset is bound, and no node has a session manager', async () => {
    const mounts = [{ mountPoint: 'nfs://0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/images', name: 'images' }];
    const runtime = efcRuntime('demo', {
      replicas: 1,
      worker: { networkMode: 'ContainerNetwork' },
      tieredstore: { levels: [{ mediumtype: 'SSD', path: '/cache', quota: '1Gi', volumeType: 'emptyDir' }] },
    });
    await space.create(datasetObject('demo', { placement: 'Shared', mounts }), runtime);
    await space.bound('EFCRuntime', 'demo', PATIENCE_S);
    expect(await sessionManagers()).toBe('');
  });
  await step('a pod reads it: the session manager has started, and its client', async () => {
    reader = await startReader({ cluster, space }, 'reader', 'demo');
    expect(await reader.sh('cat /data/address')).toBe('0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/images/\n');
    expect(await sessionManagers()).toMatch(/^pod\/efc-sessmgr-\w+$/);
  });
  await step('a worker more is in the file of the client that runs, soon', async () => {
    const listed = async () => (JSON.parse(await reader.sh('cat /data/workers')) as { containerendpoints: string[] }).containerendpoints;
    await eventually(async () => expect(await listed()).toEqual([expect.stringMatching(/^[\d.]+:14555$/)]), PATIENCE_S);
    await space.kubectl('scale', 'efc/demo', '--replicas=2');
    await space.becomes('EFCRuntime', 'demo', { status: { workerNumberReady: 2 } }, PATIENCE_S);
    // The kubelet by itself would read the ConfigMap again after a minute or more.
    await eventually(async () => expect(await listed()).toHaveLength(2));
  });
  await step('a pod that asks for a sidecar is rejected with the reason', async () => {
    const labels = { 'serverless.fluid.io/inject': 'true' };
    const containers = [{ name: 'main', image: BUSYBOX_IMAGE, volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'demo' } }];
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'serverless', labels }, spec: { containers, volumes } };
    await expect(space.create(pod)).rejects.toThrow('EFC needs the session manager of its node');
  });
  await step('deleted, it leaves no pod, object, label or mount', async () => {
    const mounts = () => readFileSync('/proc/self/mountinfo', 'utf8');
    expect(mounts()).toContain('/efc/');
    await space.kubectl('delete', 'pod', 'reader');
    await space.delete('Dataset', 'demo');
    await space.gone('Dataset', 'demo', PATIENCE_S);
    await eventually(async () => {
      expect(await space.made()).toEqual([]);
      expect((await space.list('Pod')).map(({ metadata }) => metadata.name)).toEqual([]);
      expect(await nodeLabels({ cluster, space })).toEqual([]);
      expect(mounts()).not.toContain(`/efc/${space.namespace}/`);
    }, PATIENCE_S);
  });
}
