/** Sluice in its own cluster, on a real node: what becomes of Datasets and their pods while its own processes come and go. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { parseMountinfo } from '../../src/csi/mounts/mountinfo.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { BUSYBOX_IMAGE, FUSE_IMAGE, fuseImage, type ImageDefinition } from '../../harness/index.ts';
import type { Kind } from '../support/kinds.ts';
import { canHaveNode, createPod } from '../support/real-node.ts';
import { openDataset, thinProfile, thinRuntime } from '../support/objects.ts';
import { condition, createSpace, eventually, type Space, says } from '../support/sluice.ts';
import { type Installed, NAMESPACE, startInstalled, tagImage } from './installed.ts';
import { SLUICE_IMAGE } from './sluice-image.ts';

const PROFILE = 'local-files';
const NEXT_IMAGE = 'localhost/sluice:next';
const [FUSE, FUSE_TAG] = FUSE_IMAGE.split(':') as [string, string];
/** A worker that does nothing, and is ready once a client opens it. */
const WORKER_IMAGE: ImageDefinition = {
  name: 'localhost/worker:1',
  files: { '/bin/busybox': { from: '/bin/busybox' }, '/tmp': { directory: true } },
  entrypoint: ['/bin/busybox', 'sleep', '100000'],
};

describe.skipIf(!canHaveNode)('Sluice installed on a real node', () => {
  let cluster: Installed;
  let client: KubeClient;
  let space: Space;
  beforeAll(async () => {
    cluster = await startInstalled({ images: [fuseImage(), WORKER_IMAGE] });
    client = createClient(connectionFromKubeconfig([cluster.plane.kubeconfig]), { fieldManager: 'sluice-tests' });
    space = await createSpace(cluster.plane, client, 'installed');
    // A FUSE file system that needs no storage: a folder of the fuse pod itself.
    const mount =
      'umount -l "$MOUNT_POINT"; mkdir -p /src "$MOUNT_POINT"; echo bytes > /src/file; exec rclone mount /src "$MOUNT_POINT" --allow-other';
    await space.create(
      thinProfile(PROFILE, {
        fileSystemType: 'fuse.rclone',
        fuse: { image: FUSE, imageTag: FUSE_TAG, command: ['sh', '-c', mount] },
        worker: {
          image: 'localhost/worker',
          imageTag: '1',
          readinessProbe: { exec: { command: ['/bin/busybox', 'test', '-f', '/tmp/open'] }, periodSeconds: 1 },
        },
      }),
    );
  });
  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
  });
  const showLogs = () => onTestFailed(async () => console.error(await cluster.logs()));

  const create = async (name: string) => {
    await space.create(openDataset(name), thinRuntime(name, { profileName: PROFILE }));
    await space.bound('ThinRuntime', name);
  };
  const exec = (pod: string, ...command: readonly string[]) => cluster.plane.kubectl('exec', '-n', space.namespace, pod, '--', ...command);
  /** A pod that reads without end, and fails as soon as it cannot. */
  const read = async (pod: string, claim: string) => {
    await createPod(cluster.plane, {
      name: pod,
      namespace: space.namespace,
      image: BUSYBOX_IMAGE,
      script: 'while cat /data/file > /dev/null; do usleep 50000; done',
      container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
      spec: { restartPolicy: 'Never', volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] },
    });
    await space.becomes('Pod', pod, condition('Ready', { status: 'True' }));
  };
  /** Reads through the pod, which has never failed to. */
  const expectReads = async (pod: string) => {
    expect(await exec(pod, 'cat', '/data/file')).toBe('bytes\n');
    expect(await space.get('Pod', pod)).toMatchObject({ status: { phase: 'Running' } });
  };
  const podsOf = async (part: string) => (await ourPods(part)).map(({ metadata }) => metadata.name);
  const ourPods = async (part: string) => {
    const selector = `app.kubernetes.io/component=${part}`;
    const text = await cluster.plane.kubectl('get', 'pods', '-n', NAMESPACE, '-l', selector, '-o', 'json');
    return (JSON.parse(text) as { readonly items: readonly KubeObject[] }).items;
  };
  const leader = async () =>
    (await cluster.plane.kubectl('get', 'lease', 'sluice', '-n', NAMESPACE, '-o', 'jsonpath={.spec.holderIdentity}')).replace(/_\d+$/, '');
  /** Where something is mounted for pods, and below the mount root. */
  const mounts = () => {
    const { kubeletDir, mountRoot } = cluster.node;
    return parseMountinfo(readFileSync('/proc/self/mountinfo', 'utf8'))
      .map(({ mountPoint }) => mountPoint)
      .filter((point) => point.startsWith(`${mountRoot}/`) || (point.startsWith(kubeletDir) && point.includes('kubernetes.io~csi')))
      .toSorted();
  };

  test('applied again, it is left alone', async () => {
    showLogs();
    const before = [...(await podsOf('controller')), ...(await podsOf('csi'))];
    await cluster.install();
    await cluster.rolledOut();
    expect([...(await podsOf('controller')), ...(await podsOf('csi'))]).toEqual(before);
  });

  test('pods read on while it is upgraded, and new ones read after', async () => {
    showLogs();
    await create('upgraded');
    await read('before', 'upgraded');
    const [mounted, controllers, plugins] = [mounts(), await podsOf('controller'), await podsOf('csi')];
    expect(mounted).toEqual([expect.stringMatching(/kubernetes.io~csi.*\/mount$/), expect.stringMatching(/\/upgraded\/thin-fuse$/)]);
    await tagImage(cluster.node, SLUICE_IMAGE, NEXT_IMAGE);
    await cluster.install('--image', NEXT_IMAGE);
    await cluster.rolledOut();
    await expectReads('before');
    expect(mounts()).toEqual(mounted);
    await read('after', 'upgraded');
    await expectReads('after');
    await eventually(async () => {
      const now = [...(await ourPods('controller')), ...(await ourPods('csi'))];
      expect(now.map(({ metadata }) => metadata.name).filter((name) => [...controllers, ...plugins].includes(name))).toEqual([]);
      expect(now).toHaveLength(3);
    });
    await space.kubectl('delete', 'pod', 'before', 'after');
    await space.delete('Dataset', 'upgraded');
    await space.gone('Dataset', 'upgraded');
    await eventually(() => expect(mounts()).toEqual([]));
  }, 120_000);

  test('a leader that is killed during set-up: the other replica finishes it', async () => {
    showLogs();
    const [killed, both] = [await leader(), await podsOf('controller')];
    await space.create(
      openDataset('handed-over'),
      thinRuntime('handed-over', { profileName: PROFILE, replicas: 1, worker: { enabled: true } }),
    );
    // Half-way: what is made is made, and the worker is waited for.
    await space.becomes('ThinRuntime', 'handed-over', condition('Synced', { status: 'False', reason: 'WorkersNotReady' }));
    await space.becomes('Pod', 'handed-over-worker-0', { status: { phase: 'Running' } });
    const made = async () => (await space.made()).filter((ref) => !ref.startsWith('Persistent'));
    const half = await made();
    expect(half).toContain('StatefulSet/handed-over-worker');
    const uids = async () => Promise.all(half.map(async (ref) => (await space.get(...(ref.split('/') as [Kind, string]))).metadata.uid));
    const halfUids = await uids();
    await kill(killed);
    await exec('handed-over-worker-0', '/bin/busybox', 'touch', '/tmp/open');
    await space.bound('ThinRuntime', 'handed-over');
    expect(both.filter((name) => name !== killed)).toEqual([await leader()]);
    expect([await made(), await uids()]).toEqual([half, halfUids]);
    await read('reader', 'handed-over');
    await expectReads('reader');
    await space.kubectl('delete', 'pod', 'reader');
    await space.delete('Dataset', 'handed-over');
    await space.gone('Dataset', 'handed-over');
  });

  test('deletion waits for the pods that read, says so, and then goes on by itself', async () => {
    showLogs();
    await create('in-use');
    await read('user', 'in-use');
    await space.delete('Dataset', 'in-use');
    const reason = 'Warning ErrorDeleteDataset: waiting for pods that mount the dataset: user';
    await eventually(async () => expect(await space.events('in-use')).toContain(reason));
    expect((await space.get('Dataset', 'in-use')).metadata.deletionTimestamp).toBeDefined();
    await expectReads('user');
    await space.kubectl('delete', 'pod', 'user');
    await space.gone('Dataset', 'in-use');
    expect((await space.made()).filter((ref) => ref.includes('in-use'))).toEqual([]);
    await eventually(async () => {
      expect(mounts().filter((point) => point.includes('in-use'))).toEqual([]);
      expect((await space.get('Node', cluster.node.name)).metadata.labels).not.toHaveProperty([`fluid.io/f-${space.namespace}-in-use`]);
    });
  });

  test('uninstalled, once nothing needs it, it leaves empty folders on the node', async () => {
    showLogs();
    await create('last');
    await read('last-reader', 'last');
    expect(await cluster.sluice('uninstall')).toMatchObject({ code: 1, stderr: says(`Dataset ${space.namespace}/last`) });
    await expectReads('last-reader');
    await space.kubectl('delete', 'pod', 'last-reader');
    await space.delete('Dataset', 'last');
    await space.gone('Dataset', 'last');
    await space.delete('ThinRuntimeProfile', PROFILE);
    expect(await cluster.sluice('uninstall')).toMatchObject({ code: 0, stderr: '' });
    await eventually(async () => expect([...(await podsOf('controller')), ...(await podsOf('csi'))]).toEqual([]));
    const { kubeletDir, mountRoot } = cluster.node;
    const folders = [mountRoot, join(kubeletDir, 'csi-plugins'), join(kubeletDir, 'plugins_registry')];
    expect(await cluster.node.run('find', ...folders, '!', '-type', 'd')).toBe('');
    expect(mounts()).toEqual([]);
  });

  /** The process as hard as it gets, and the pod, so that no pod comes back under its name. */
  async function kill(pod: string): Promise<void> {
    const script =
      'for p in /proc/[0-9]*; do if tr "\\0" "\\n" < "$p/environ" | grep -qx "MY_POD_NAME=$1"; then kill -KILL "${p#/proc/}"; fi; done';
    const deleted = cluster.plane.kubectl('delete', 'pod', '-n', NAMESPACE, pod, '--force', '--grace-period=0', '--wait=false');
    await cluster.node.run('sh', '-c', script, 'sh', pod);
    await deleted;
  }
});
