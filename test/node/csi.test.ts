/** What nodes do to a mount: clients, plugins and daemons that are killed or hang, sub paths, and volumes that ask for too much. */
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { stringify } from 'yaml';
import { type Mount, parseMountinfo } from '../../src/csi/mountinfo.ts';
import { FUSE_IMAGE, fuseImage } from '../../src/testing/index.ts';
import { canHaveNode, createPod, untilRestarted } from '../support/node.ts';
import { datasetObject, thinProfile, thinRuntime } from '../support/objects.ts';
import { eventually as within } from '../support/sluice.ts';
import { type Installed, NAMESPACE, startInstalled } from './installed.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 300_000;
const eventually = <T>(check: () => T | Promise<T>) => within(check, 120);
const [IMAGE = '', IMAGE_TAG = ''] = FUSE_IMAGE.split(':');
/** A real FUSE client of a folder of its own pod; `out` leads out of it. */
const CLIENT = `umount -l "$MOUNT_POINT"; mkdir -p /src/a /src/b "$MOUNT_POINT"; echo whole > /src/f; echo a > /src/a/f; echo b > /src/b/f
ln -s /etc /src/out; exec rclone mount /src "$MOUNT_POINT" --allow-other --links`;

describe.skipIf(!canHaveNode)('mounts on a real node', { timeout: LIMIT }, () => {
  let cluster: Installed;

  beforeAll(async () => {
    cluster = await startInstalled({ images: [fuseImage()] });
    await apply(
      thinProfile('folder', { fileSystemType: 'fuse.rclone', fuse: { image: IMAGE, imageTag: IMAGE_TAG, command: ['sh', '-c', CLIENT] } }),
      ...dataset('data'),
    );
  }, LIMIT);
  afterAll(async () => {
    await cluster?.stop();
  }, LIMIT);
  const showLogs = () => onTestFailed(async () => console.error(await cluster.logs()));

  const kubectl = (...args: readonly string[]) => cluster.plane.kubectl(...args);
  const apply = (...objects: readonly object[]) => cluster.plane.kubectlApply(objects.map((object) => stringify(object)).join('---\n'));
  const dataset = (name: string) => [
    datasetObject(name, { mounts: [{ mountPoint: 'local:///src' }], accessModes: ['ReadWriteMany'] }),
    thinRuntime(name, { profileName: 'folder', fuse: { cleanPolicy: 'OnDemand' } }),
  ];
  /** A pod that sleeps, with the claim at /data. */
  async function pod(name: string, claimName = 'data', mount: object = {}) {
    await createPod(cluster.plane, {
      name,
      image: FUSE_IMAGE,
      script: 'trap exit TERM; sleep 100000 & wait',
      container: { volumeMounts: [{ name: 'data', mountPath: '/data', mountPropagation: 'HostToContainer', ...mount }] },
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] },
    });
  }
  const read = (name: string, file = 'f') => kubectl('exec', name, '--', 'cat', `/data/${file}`);
  const restartsOf = (name: string) => kubectl('get', 'pod', name, '-o', 'jsonpath={.status.containerStatuses[0].restartCount}');
  const fusePod = (name = 'data') =>
    kubectl('get', 'pod', '-l', `release=${name},role=thin-fuse`, '-o', 'jsonpath={.items[0].metadata.name}');
  const mounts = async (): Promise<readonly Mount[]> => parseMountinfo(await cluster.node.run('cat', '/proc/self/mountinfo'));
  const ofPods = async () =>
    (await mounts()).filter(({ mountPoint, fsType }) => fsType === 'fuse.rclone' && mountPoint.startsWith(cluster.node.kubeletDir));
  /** Sends a signal to what has mounted the dataset; returns its process. */
  const signal = (name: string, client = 'data') =>
    cluster.node.run(
      'sh',
      '-c',
      'for p in /proc/[0-9]*; do if [ "$(cat "$p/comm")" = rclone ] && tr "\\0" "\\n" <"$p/cmdline" | grep -q "/default/$2/thin-fuse$"; then kill -"$1" "${p#/proc/}" && echo "${p#/proc/}"; fi; done 2>/dev/null; :',
      'sh',
      name,
      client,
    );

  test('a FUSE client that is killed ten times is read again each time, by the same container', async () => {
    showLogs();
    await pod('reader');
    await eventually(async () => expect(await read('reader')).toBe('whole\n'));
    const fuse = await fusePod();
    for (let kill = 1; kill <= 10; kill++) {
      expect(await signal('KILL')).not.toBe('');
      await untilRestarted(cluster.plane, fuse, kill);
      await eventually(async () => expect(await read('reader')).toBe('whole\n'));
    }
    expect(await restartsOf('reader')).toBe('0');
    const layers = (await ofPods()).length;
    expect(layers).toBeGreaterThan(0);
    expect(layers).toBeLessThanOrEqual(4);
    const events = await kubectl(
      'get',
      'events',
      '--field-selector',
      'involvedObject.kind=Dataset,reason=FuseRecoverSucceed',
      '-o',
      'name',
    );
    expect(events).not.toBe('');
  });

  test('two pods have two sub paths, one to read and one to write', async () => {
    showLogs();
    await pod('sub-a', 'data', { subPath: 'a', readOnly: true });
    await pod('sub-b', 'data', { subPath: 'b' });
    await eventually(async () => expect([await read('sub-a'), await read('sub-b')]).toEqual(['a\n', 'b\n']));
    await expect(kubectl('exec', 'sub-a', '--', 'touch', '/data/g')).rejects.toThrow('Read-only file system');
    await kubectl('exec', 'sub-b', '--', 'sh', '-c', 'echo new > /data/g');
    await eventually(async () => expect(await read('reader', 'b/g')).toBe('new\n'));
    await kubectl('delete', 'pod', 'sub-a', 'sub-b', '--timeout=60s');
  });

  test('readers notice neither a killed plugin nor restarts of kubelet and containerd', async () => {
    showLogs();
    const before = (await ofPods()).length;
    await kubectl('delete', 'pod', '-n', NAMESPACE, '-l', 'app.kubernetes.io/component=csi', '--grace-period=0', '--force');
    expect(await read('reader')).toBe('whole\n');
    await cluster.rolledOut();
    await cluster.node.restart('containerd');
    await cluster.node.restart('kubelet');
    await eventually(async () => expect(await read('reader')).toBe('whole\n'));
    await pod('later');
    await eventually(async () => expect(await read('later')).toBe('whole\n'));
    await kubectl('delete', 'pod', 'later', '--timeout=60s');
    expect([(await ofPods()).length, await restartsOf('reader')]).toEqual([before, '0']);
  });

  test('a pod that waits for its Dataset starts by itself', async () => {
    showLogs();
    await pod('early', 'late');
    await eventually(async () => expect(await kubectl('describe', 'pod', 'early')).toContain('"late" not found'));
    await apply(...dataset('late'));
    await eventually(async () => expect(await read('early')).toBe('whole\n'));
  });

  test('a pod goes away although its client hangs', async () => {
    showLogs();
    expect(await signal('STOP', 'late')).not.toBe('');
    await kubectl('delete', 'pod', 'early', '--timeout=90s');
    await signal('CONT', 'late');
    // OnDemand: nobody needs it any more.
    await kubectl('wait', '--for=delete', 'pod', '-l', 'release=late,role=thin-fuse', '--timeout=90s');
  });

  test.each([
    ['..', 'a/../..', 'expected a path without "..", found "a/../.."'],
    ['a symbolic link', 'out', 'sub path out: leads through a symbolic link, which is refused'],
    ['a directory that is not there', 'nowhere', 'sub path nowhere: there is no such directory'],
  ])('a sub path with %s is refused, clearly', async (_, path, message) => {
    showLogs();
    const name = `refused-${path.replace(/\W+/g, '-')}x`;
    const volume = JSON.parse(await kubectl('get', 'pv', 'default-data', '-o', 'json'));
    const { driver, volumeAttributes } = volume.spec.csi;
    const capacity = { storage: '1Gi' };
    const shared = { accessModes: ['ReadWriteMany'], storageClassName: 'by-hand' };
    await apply(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name },
        spec: {
          ...shared,
          capacity,
          csi: { driver, volumeHandle: name, volumeAttributes: { ...volumeAttributes, fluid_sub_path: path } },
        },
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name },
        spec: { ...shared, volumeName: name, resources: { requests: capacity } },
      },
    );
    await pod(name, name);
    await eventually(async () => expect(await kubectl('describe', 'pod', name)).toContain(message));
    await kubectl('delete', 'pod', name, '--timeout=60s');
    await kubectl('delete', 'pvc,pv', name, '--timeout=60s');
  });

  test('when all pods are gone, nothing of them is mounted', async () => {
    showLogs();
    await kubectl('delete', 'pod', 'reader', '--timeout=60s');
    await kubectl('wait', '--for=delete', 'pod', '-l', 'release=data,role=thin-fuse', '--timeout=90s');
    expect(await ofPods()).toEqual([]);
  });
});
