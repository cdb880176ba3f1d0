/** `sluice takeover go` and `back` on a real node, under a pod that holds a file open and reads on. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import {
  BUSYBOX_IMAGE,
  type ControlPlane,
  FUSE_IMAGE,
  fuseImage,
  type RealNode,
  startControlPlane,
  startNode,
} from '../../harness/index.ts';
import { mountsBelow } from '../../harness/node/mounts.ts';
import { installFlags } from '../../harness/takeover-node/move.ts';
import { endPod, reportOf, startReader } from '../../harness/takeover-node/pods.ts';
import { CONTENT, FILE } from '../../harness/takeover-node/reader-file.ts';
import { sluice } from '../cli/run.ts';
import { canHaveNode, createPod, mountsInto } from '../support/real-node.ts';
import { step } from '../support/step.ts';
import { withSluiceImage } from './sluice-image.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 600_000;
const NAMESPACE = 'fluid-system';
const CLAIM = 'data';

describe.skipIf(!canHaveNode)('a take-over on a real node', { timeout: LIMIT }, () => {
  let plane: ControlPlane;
  let node: RealNode;
  beforeAll(async () => {
    plane = await startControlPlane({ nodes: 0 });
    node = await startNode(plane, { images: [fuseImage()] });
    await withSluiceImage((archive) => node.importImage(archive));
    await startStandIn();
    await startFileSystem();
  }, LIMIT);
  afterAll(async () => {
    await node?.stop();
    await plane?.stop();
  }, LIMIT);

  const run = (...args: readonly string[]) => sluice(args, { env: { KUBECONFIG: plane.kubeconfig } });
  async function apply(...items: readonly object[]): Promise<void> {
    const file = join(plane.dir, 'objects.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await plane.kubectl('apply', '--server-side', '-f', file);
  }

  /** In the place of Fluid: controllers that do nothing, and Sluice's own plugin under the names of Fluid's, behind a shell as that is. */
  async function startStandIn(): Promise<void> {
    const { stdout } = await run('install', ...installFlags(node), '-o', 'json');
    const { items } = JSON.parse(stdout) as { readonly items: readonly Item[] };
    const plugin = items.find(({ kind }) => kind === 'DaemonSet');
    const [container] = plugin?.spec?.template.spec.containers ?? [];
    if (!plugin?.spec || !container) throw new Error('sluice install has no DaemonSet');
    const crds = items.filter(({ kind }) => kind === 'CustomResourceDefinition');
    const metadata = (name: string) => ({ name, namespace: NAMESPACE });
    const shape = (name: string, labels: object, spec: object) => ({
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    });
    const accounts = ['dataset-controller', 'fluid-csi'];
    const subjects = accounts.map((name) => ({ kind: 'ServiceAccount', ...metadata(name) }));
    const controller = { name: 'manager', image: BUSYBOX_IMAGE, command: ['sleep', '100000'] };
    const { args = [], livenessProbe: _l, startupProbe: _s, ...rest } = container;
    const command = ['sh', '-c', 'node /opt/sluice/dist/bin/sluice.js "$@"; exit 1', 'sh', ...args];
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }, ...crds);
    await apply(
      ...accounts.map((name) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(name) })),
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'dataset-clusterrolebinding' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects,
      },
      ...items.filter(({ kind }) => kind === 'CSIDriver').map(({ metadata: { name }, ...each }) => ({ ...each, metadata: { name } })),
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: metadata('dataset-controller'),
        spec: {
          replicas: 1,
          ...shape(
            'dataset-controller',
            { 'control-plane': 'dataset-controller' },
            { terminationGracePeriodSeconds: 1, containers: [controller] },
          ),
        },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: metadata('csi-nodeplugin-fluid'),
        spec: shape(
          'csi-nodeplugin-fluid',
          { app: 'csi-nodeplugin-fluid' },
          { ...plugin.spec.template.spec, serviceAccountName: 'fluid-csi', containers: [{ ...rest, name: 'plugins', command }] },
        ),
      },
    );
    for (const workload of ['deployment/dataset-controller', 'daemonset/csi-nodeplugin-fluid'])
      await plane.kubectl('rollout', 'status', '-n', NAMESPACE, workload, '--timeout=240s');
  }

  /** A FUSE client of a folder of its own pod, and the volume that leads to it. */
  async function startFileSystem(): Promise<void> {
    const path = `${node.mountRoot}/thin/default/client/thin-fuse`;
    const { container, spec } = mountsInto(node.mountRoot);
    await createPod(plane, {
      name: 'client',
      image: FUSE_IMAGE,
      script: `mkdir -p /src "${path}"; ${CONTENT} > /src/${FILE}; exec rclone mount /src "${path}" --allow-other`,
      container,
      spec,
    });
    const shared = { accessModes: ['ReadWriteMany'], storageClassName: 'by-hand' };
    const capacity = { storage: '1Gi' };
    const csi = { driver: 'fuse.csi.fluid.io', volumeHandle: CLAIM, volumeAttributes: { fluid_path: path, mount_type: 'fuse.rclone' } };
    await apply(
      { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: CLAIM }, spec: { ...shared, capacity, csi } },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: CLAIM, namespace: 'default' },
        spec: { ...shared, volumeName: CLAIM, resources: { requests: capacity } },
      },
    );
  }

  const uidOf = (pod: string) => plane.kubectl('get', 'pod', pod, '-o', 'jsonpath={.metadata.uid}');
  const state = async () => ({
    pods: await plane.kubectl(
      'get',
      'pods',
      'reads-on',
      'client',
      '-o',
      'jsonpath={.items[*].metadata.uid} {.items[*].status.containerStatuses[*].restartCount}',
    ),
    mounts: [...mountsBelow(node.mountRoot), ...mountsBelow(join(node.kubeletDir, 'pods', await uidOf('reads-on')))].map(
      ({ line }) => line,
    ),
  });
  const mountsOf = (uid: string) => mountsBelow(join(node.kubeletDir, 'pods', uid));

  test('an open file is read on there and back; the plugin of either side ends pods that the other one started', async () => {
    onTestFailed(async () => console.error(await plane.kubectl('get', 'pods,events', '-A').catch(String), node.logs()));
    await startReader(plane, 'reads-on', CLAIM);
    await startReader(plane, 'guest-0', CLAIM);
    const before = await state();
    expect(before.mounts.length).toBeGreaterThan(2);
    for (const [index, way] of (['go', 'back'] as const).entries())
      await step(`sluice takeover ${way}`, async () => {
        const { reads } = await reportOf(plane, 'reads-on');
        const { code, stdout, stderr } = await run('takeover', way, ...(way === 'go' ? installFlags(node) : []));
        expect([code, stderr]).toEqual([0, '']);
        const after = await reportOf(plane, 'reads-on');
        expect(after).toMatchObject({ errors: 0, first: [] });
        expect(after.reads).toBeGreaterThan(reads);
        expect(await state()).toEqual(before);
        const gone = /Without a node plugin, at most on one node: (\S+) s/.exec(stdout)?.[1];
        if (way === 'go') expect(Number(gone)).toBeLessThan(25);
        const uid = await uidOf(`guest-${index}`);
        expect(mountsOf(uid)).not.toEqual([]);
        await endPod(plane, `guest-${index}`);
        expect(mountsOf(uid)).toEqual([]);
        await startReader(plane, `guest-${index + 1}`, CLAIM);
      });
    await step('the last pods end', async () => {
      await endPod(plane, 'guest-2');
      expect(await reportOf(plane, 'reads-on')).toMatchObject({ errors: 0 });
      await endPod(plane, 'reads-on');
      expect(await node.run('find', `${node.kubeletDir}/plugins/kubernetes.io/csi/fuse.csi.fluid.io`, '-mindepth', '1')).toBe('');
    });
  });
});

/** The parts of an object that are looked at. */
interface Item {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
}
interface Container {
  readonly args?: readonly string[];
  readonly livenessProbe?: object;
  readonly startupProbe?: object;
}
