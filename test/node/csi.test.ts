/**
 * Faults of nodes and their effect on mounts: clients, plugins and daemons that are killed or hang, sub paths, and volumes that ask for too
 * much.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { stringify } from 'yaml';
import { type MountInfo, parseMountinfo } from '../../src/csi/mounts/mountinfo.ts';
import { FUSE_IMAGE, fuseImage } from '../../harness/index.ts';
import { canHaveNode, createPod, mountsInto, untilRestarted } from '../support/real-node.ts';
import { datasetObject, thinProfile, thinRuntime } from '../support/objects.ts';
import { eventually as within } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { type Installed, NAMESPACE, startInstalled } from './installed.ts';
import { SLUICE_IMAGE } from './sluice-image.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 600_000;
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
  /** A volume that no Dataset has made, and its claim. */
  async function volumeByHand(name: string, volumeAttributes: Readonly<Record<string, string>>) {
    const capacity = { storage: '1Gi' };
    const shared = { accessModes: ['ReadWriteMany'], storageClassName: 'by-hand' };
    const csi = { driver: 'fuse.csi.fluid.io', volumeHandle: `handle-of-${name}`, volumeAttributes };
    await apply(
      { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec: { ...shared, capacity, csi } },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name },
        spec: { ...shared, volumeName: name, resources: { requests: capacity } },
      },
    );
  }
  const read = (name: string, file = 'f') => kubectl('exec', name, '--', 'cat', `/data/${file}`);
  const restartsOf = (name: string) => kubectl('get', 'pod', name, '-o', 'jsonpath={.status.containerStatuses[0].restartCount}');
  const fusePod = (name = 'data') =>
    kubectl('get', 'pod', '-l', `release=${name},role=thin-fuse`, '-o', 'jsonpath={.items[0].metadata.name}');
  /** The node plugin's pod that is not about to go. */
  async function csiPod(): Promise<string> {
    const { items } = JSON.parse(await kubectl('get', 'pod', '-n', NAMESPACE, '-l', 'app.kubernetes.io/component=csi', '-o', 'json'));
    const [one] = items.filter((each: { metadata: { deletionTimestamp?: string } }) => !each.metadata.deletionTimestamp);
    return one?.metadata.name;
  }
  const mounts = async (): Promise<readonly MountInfo[]> => parseMountinfo(await cluster.node.run('cat', '/proc/self/mountinfo'));
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

  test.each([
    ['0.8 and 0.9', (said: object) => said],
    ['1.0', (said: object) => ({ ...said, 'fluid.io/skip-check-mount-ready-target': 'None' })],
    ['1.0, linked', (said: object) => ({ ...said, node_publish_method: 'symlink' })],
  ])('a volume as Fluid %s wrote it brings its fuse pod, and lets it go', async (version, written) => {
    showLogs();
    const name = `fluid-${version.replace(/\W+/g, '-')}`;
    await apply(...dataset(name));
    await kubectl('wait', '--for=jsonpath={.status.phase}=Bound', `dataset/${name}`, '--timeout=60s');
    const { spec } = JSON.parse(await kubectl('get', 'pv', `default-${name}`, '-o', 'json'));
    const { mount_pod_node_selector_key: key, ...said } = spec.csi.volumeAttributes;
    const labels = async () => JSON.parse(await kubectl('get', 'node', cluster.node.name, '-o', 'json')).metadata.labels;
    expect([key, Object.keys(said).toSorted()]).toEqual([
      `fluid.io/f-default-${name}`,
      ['fluid_path', 'mount_type', 'runtime_name', 'runtime_namespace'],
    ]);
    await volumeByHand(`by-${name}`, written(said) as Readonly<Record<string, string>>);
    await pod(name, `by-${name}`);
    await eventually(async () => expect(await read(name)).toBe('whole\n'));
    expect(await labels()).toMatchObject({ [key]: 'true' });
    await kubectl('delete', 'pod', name, '--timeout=60s');
    await kubectl('wait', '--for=delete', 'pod', '-l', `release=${name},role=thin-fuse`, '--timeout=90s');
    expect(await labels()).not.toHaveProperty([key]);
    await kubectl('delete', 'pvc,pv', `by-${name}`, '--timeout=60s');
  });

  test('hold from the first reader to the last', async () => {
    showLogs();
    await step('a FUSE client that is killed ten times is read again each time, by the same container', async () => {
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

    await step('two pods have two sub paths, one to read and one to write', async () => {
      await pod('sub-a', 'data', { subPath: 'a', readOnly: true });
      await pod('sub-b', 'data', { subPath: 'b' });
      await eventually(async () => expect([await read('sub-a'), await read('sub-b')]).toEqual(['a\n', 'b\n']));
      await expect(kubectl('exec', 'sub-a', '--', 'touch', '/data/g')).rejects.toThrow('Read-only file system');
      await kubectl('exec', 'sub-b', '--', 'sh', '-c', 'echo new > /data/g');
      await eventually(async () => expect(await read('reader', 'b/g')).toBe('new\n'));
      await kubectl('delete', 'pod', 'sub-a', 'sub-b', '--timeout=60s');
    });

    await step('readers notice neither a killed plugin nor restarts of kubelet and containerd', async () => {
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

    await step('a pod that waits for its Dataset starts by itself', async () => {
      await pod('early', 'late');
      await eventually(async () => expect(await kubectl('describe', 'pod', 'early')).toContain('"late" not found'));
      await apply(...dataset('late'));
      await eventually(async () => expect(await read('early')).toBe('whole\n'));
    });

    await step('a pod goes away although its client hangs', async () => {
      expect(await signal('STOP', 'late')).not.toBe('');
      await kubectl('delete', 'pod', 'early', '--timeout=90s');
      await signal('CONT', 'late');
      // OnDemand: no pod needs it any more.
      await kubectl('wait', '--for=delete', 'pod', '-l', 'release=late,role=thin-fuse', '--timeout=90s');
    });

    await step('the plugin is replaced, killed or deleted, while a client hangs that has read', async () => {
      const { mountRoot } = cluster.node;
      const path = `${mountRoot}/thin/default/silent/thin-fuse`;
      const { container, spec } = mountsInto(mountRoot);
      const program = readFileSync(new URL('../support/silent-fuse.ts', import.meta.url), 'utf8');
      await createPod(cluster.plane, {
        name: 'silent',
        image: SLUICE_IMAGE,
        script: '',
        container: {
          ...container,
          securityContext: { privileged: true, runAsUser: 0 },
          command: ['node', '--input-type=module-typescript', '-e', program, path],
        },
        spec,
      });
      await eventually(async () => expect(await kubectl('logs', 'silent')).toContain('mounted'));
      await volumeByHand('silent', { fluid_path: path, mount_type: 'fuse' });
      await pod('asks', 'silent');
      await eventually(async () => expect(await kubectl('describe', 'pod', 'asks')).toContain('has not answered'));
      const startsAndEnds = async (name: string) => {
        await pod(name);
        await eventually(async () => expect(await read(name)).toBe('whole\n'));
        await kubectl('delete', 'pod', name, '--timeout=60s');
      };

      const plugin = await csiPod();
      const [process, ...others] = (await cluster.node.run('pgrep', '-f', '^/usr/bin/node /opt/sluice/.* csi ')).trim().split('\n');
      expect(others).toEqual([]);
      await cluster.node.run('kill', '-KILL', String(process));
      await untilRestarted(cluster.plane, plugin, 1, NAMESPACE);
      await startsAndEnds('after-kill');

      await kubectl('delete', 'pod', '-n', NAMESPACE, plugin, '--wait=false');
      await eventually(async () => expect(await csiPod()).not.toBe(plugin));
      await cluster.rolledOut();
      await startsAndEnds('after-upgrade');

      await kubectl('delete', 'pod', 'asks', '--timeout=60s');
      await kubectl('delete', 'pod', 'silent', '--timeout=60s');
      await cluster.node.run('umount', '-l', path);
      await kubectl('delete', 'pvc,pv', 'silent', '--timeout=60s');
      // The rest of the former mount waits in the kernel for the client, and goes with it.
      await kubectl('wait', '--for=delete', 'pod', '-n', NAMESPACE, plugin, '--timeout=180s');
    });

    await step('sub paths that are not in the Dataset are refused, clearly', () =>
      Promise.all(
        Object.entries({
          'a/../..': 'expected a path without "..", found "a/../.."',
          out: 'sub path out: leads through a symbolic link, which is not allowed',
          nowhere: 'sub path nowhere: does not exist in ',
        }).map(async ([path, message]) => {
          const name = `refused-${path.replace(/\W+/g, '-')}x`;
          const volume = JSON.parse(await kubectl('get', 'pv', 'default-data', '-o', 'json'));
          await volumeByHand(name, { ...volume.spec.csi.volumeAttributes, fluid_sub_path: path });
          await pod(name, name);
          await eventually(async () => expect(await kubectl('describe', 'pod', name)).toContain(message));
          await kubectl('delete', 'pod', name, '--timeout=60s');
          await kubectl('delete', 'pvc,pv', name, '--timeout=60s');
        }),
      ),
    );

    await step('when all pods are gone, nothing of them is mounted or staged', async () => {
      const driver = `${cluster.node.kubeletDir}/plugins/kubernetes.io/csi/fuse.csi.fluid.io`;
      const staged = () => cluster.node.run('sh', '-c', 'find "$1" -mindepth 1 2>/dev/null; :', 'sh', driver);
      expect(await staged()).toContain('/globalmount');
      await kubectl('delete', 'pod', 'reader', '--timeout=60s');
      await kubectl('wait', '--for=delete', 'pod', '-l', 'release=data,role=thin-fuse', '--timeout=90s');
      expect(await ofPods()).toEqual([]);
      // We keep nothing there that would keep the kubelet from removing it.
      await eventually(async () => expect(await staged()).toBe(''));
    });
  });
});
