/** Vineyard and etcd on a real node. The program of its fuse pod is a stand-in (tools/node/vineyard). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { VineyardRuntimeSpec } from '../../runtimes/vineyard/spec.ts';
import { VINEYARD_FUSE_STAND_IN_IMAGE, VINEYARD_IMAGE } from '../../harness/index.ts';
import { datasetObject, vineyardRuntime } from '../support/objects.ts';
import { createPod } from '../support/real-node.ts';
import { condition, eventually } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { nodeLabels, PATIENCE_S, type Where } from './dataset-users.ts';

const AT = '/var/run/vineyard';
const SOCKET = `${AT}/vineyard-worker.sock`;
const [image = '', imageTag = ''] = VINEYARD_IMAGE.split(':');
const [fuseImage = '', fuseTag = ''] = VINEYARD_FUSE_STAND_IN_IMAGE.split(':');
/** The bytes of a text, as Vineyard's command line prints them. */
const printed = (text: string) => [...Buffer.from(text)].join(' ');

/** From the first object to the last trace. */
export async function vineyardServes({ cluster, space }: Where): Promise<void> {
  /** An application that has the claim where Vineyard's clients look. */
  async function application(name: string, { readOnly = false }: { readonly readOnly?: boolean } = {}) {
    const container = { volumeMounts: [{ name: 'vineyard', mountPath: AT }] };
    const spec = { volumes: [{ name: 'vineyard', persistentVolumeClaim: { claimName: 'demo', readOnly } }] };
    await createPod(cluster.plane, {
      name,
      namespace: space.namespace,
      image: VINEYARD_IMAGE,
      script: 'exec tail -f /dev/null',
      container,
      spec,
    });
    await space.becomes('Pod', name, condition('Ready', { status: 'True' }), PATIENCE_S);
    const sh = (script: string) => cluster.plane.kubectl('exec', '-n', space.namespace, name, '--', 'sh', '-ec', script);
    return {
      sh,
      put: async (value: string) => (await sh(`vineyardctl put --value '${value}' --ipc-socket ${SOCKET}`)).trim(),
      get: (id: string) => sh(`vineyardctl get blob --object_id ${id} --ipc-socket ${SOCKET}`),
    };
  }
  const mounts = () => readFileSync('/proc/self/mountinfo', 'utf8');
  const home = () => join(cluster.node.mountRoot, 'vineyard', space.namespace, 'demo');
  const podOf = async (prefix: string) => (await space.list('Pod')).find(({ metadata }) => metadata.name.startsWith(prefix))?.metadata;

  const runtime: VineyardRuntimeSpec = {
    replicas: 1,
    master: { image, imageTag, volumeMounts: [{ name: 'etcd', mountPath: '/etcd-data' }] },
    worker: { image, imageTag, options: { 'etcd.prefix': '/test' } },
    fuse: { image: fuseImage, imageTag: fuseTag },
    tieredstore: {
      levels: [
        { mediumtype: 'MEM', quota: '64Mi' },
        { mediumtype: 'SSD', path: '/spill', volumeType: 'emptyDir', quota: '64Mi' },
      ],
    },
    volumes: [{ name: 'etcd', emptyDir: {} }],
  };

  await step('the Dataset is bound, by an etcd and a server on the network of the node', async () => {
    await space.create(datasetObject('demo', { placement: 'Shared' }), vineyardRuntime('demo', runtime));
    await space.bound('VineyardRuntime', 'demo', PATIENCE_S);
    await space.becomes('VineyardRuntime', 'demo', { status: { masterPhase: 'Ready', workerPhase: 'Ready' } });
    await space.becomes('Dataset', 'demo', { status: { cacheStates: { cacheCapacity: '64.00MiB' } } });
    expect(mounts()).not.toContain(home());
  });
  const first = await step('an application puts an object through the socket in its claim, and gets it', async () => {
    const app = await application('app');
    await eventually(async () => expect(await app.sh(`ls ${AT}`)).toContain('vineyard-config.yaml\nvineyard-worker.sock'));
    expect(await app.sh(`cat ${AT}/vineyard-config.yaml`)).toMatch(
      /^Vineyard:\n {2}IPCSocket: vineyard-worker\.sock\n {2}RPCEndpoint: demo-worker-0\.demo-worker\.[-\w]+:3[234]\d{3}\n$/,
    );
    const id = await app.put('hello');
    expect(id).toMatch(/^o[0-9a-f]{16}$/);
    expect(await app.get(id)).toContain(printed('hello'));
    expect(mounts()).toContain(`${home()}/vineyard-fuse/rpc-conf`);
    return { app, id };
  });
  await step('another one gets it through a volume that it may not write', async () => {
    const other = await application('other', { readOnly: true });
    expect(await other.get(first.id)).toContain(printed('hello'));
    expect(await other.get(await other.put('world'))).toContain(printed('world'));
    expect(await other.sh(`cat ${AT}/rpc-conf/VINEYARD_RPC_ENDPOINT`)).toMatch(/^demo-worker-0\./);
    await expect(other.sh(`touch ${AT}/file`)).rejects.toThrow('Read-only file system');
  });
  await step('a number of workers reaches clients that run', async () => {
    await space.kubectl('scale', 'v6d/demo', '--replicas=2');
    // The node has room for one of them; the kubelet by itself would read the ConfigMap again after a minute or more.
    await eventually(async () => expect(await first.app.sh(`cat ${AT}/vineyard-config.yaml`)).toContain(',demo-worker-1.demo-worker.'));
    await space.kubectl('scale', 'v6d/demo', '--replicas=1');
  });
  await step('a client that is replaced leaves its users their objects', async () => {
    const { name = '', uid } = (await podOf('demo-fuse-')) ?? {};
    // The configuration is being read in the pod that goes, and by an application.
    const reading = 'sleep 3600 <"$RPC_CONF_DIR/VINEYARD_RPC_ENDPOINT" >/dev/null 2>&1 &';
    await cluster.plane.kubectl('exec', '-n', space.namespace, name, '--', 'sh', '-c', reading);
    await first.app.sh(`sleep 3600 <${AT}/rpc-conf/VINEYARD_RPC_ENDPOINT >/dev/null 2>&1 &`);
    await space.kubectl('delete', 'pod', name);
    await eventually(async () => expect((await podOf('demo-fuse-'))?.uid).not.toBe(uid), PATIENCE_S);
    const { name: now = '' } = (await podOf('demo-fuse-')) ?? {};
    await space.becomes('Pod', now, condition('Ready', { status: 'True' }), PATIENCE_S);
    await eventually(async () => expect(await first.app.get(first.id)).toContain(printed('hello')), PATIENCE_S);
    // One mount for the client that runs, and none of those before it.
    expect(mounts().split(`${home()}/vineyard-fuse/rpc-conf `)).toHaveLength(2);
  });
  await step('a server that is replaced is behind the same socket of the pods that run', async () => {
    await space.kubectl('delete', 'pod', 'demo-worker-0');
    await space.becomes('Pod', 'demo-worker-0', condition('Ready', { status: 'True' }), PATIENCE_S);
    await eventually(async () => expect(await first.app.get(await first.app.put('again'))).toContain(printed('again')), PATIENCE_S);
  });
  await step('a pod that asks for a sidecar is rejected with the reason', async () => {
    const labels = { 'serverless.fluid.io/inject': 'true' };
    const containers = [{ name: 'main', image: VINEYARD_IMAGE, volumeMounts: [{ name: 'data', mountPath: AT }] }];
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'demo' } }];
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'serverless', labels }, spec: { containers, volumes } };
    await expect(space.create(pod)).rejects.toThrow('Vineyard needs the socket of a server on its node');
  });
  await step('deleted, it leaves no pod, object, label or mount', async () => {
    await space.kubectl('delete', 'pod', 'app', 'other');
    await space.delete('Dataset', 'demo');
    await space.gone('Dataset', 'demo', PATIENCE_S);
    await space.gone('VineyardRuntime', 'demo');
    await eventually(async () => {
      expect(await space.made()).toEqual([]);
      expect((await space.list('Pod')).map(({ metadata }) => metadata.name)).toEqual([]);
      expect(await nodeLabels({ cluster, space })).toEqual([]);
      expect(mounts()).not.toContain(`/vineyard/${space.namespace}/`);
    }, PATIENCE_S);
  });
}
