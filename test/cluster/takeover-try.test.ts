/** The admission policies of `sluice takeover try` on a real API server, and a controller of one namespace beside a Fluid. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/index.ts';
import { whyOpenNow } from '../../src/cli/reconcile/fenced.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { ownedKinds } from '../../src/planning/kinds.ts';
import { FENCE, fenceObjects } from '../../src/takeover/try/policies.ts';
import { sluice } from '../cli/run.ts';
import { openDataset, thinProfile, thinRuntime } from '../support/objects.ts';
import { eventually, startSluice } from '../support/sluice.ts';
import { hasPolicies } from '../support/kubernetes.ts';
import { simulated } from '../support/test-cluster.ts';

const FLUID = 'system:serviceaccount:fluid-system:thinruntime-controller';

describe.skipIf(!simulated || !hasPolicies)('sluice takeover try, of the namespace ml', () => {
  let plane: ControlPlane;
  let client: KubeClient;
  beforeAll(async () => {
    plane = await startControlPlane({ nodes: 2 });
    client = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'tests' });
    for (const name of ['ml', 'ml-x']) await plane.kubectl('create', 'namespace', name);
    writeFileSync(join(plane.dir, 'crds.yaml'), (await sluice(['crds'])).stdout);
    await plane.kubectl('apply', '--server-side', '-f', join(plane.dir, 'crds.yaml'));
    await plane.kubectl('wait', '--for=condition=Established', 'crd', '--all');
    await apply(thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' } }));
    for (const namespace of ['ml', 'ml-x'])
      for (const object of [openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })])
        await apply({ ...object, metadata: { ...object.metadata, namespace } });
    for (const object of fenceObjects({ namespaces: ['ml'], users: [FLUID] })) await apply(object);
    await eventually(async () => expect(await whyOpenNow(client, ['ml'], FLUID, new AbortController().signal)).toBeUndefined());
  });
  afterAll(async () => {
    await client?.close();
    await plane?.stop();
  });

  async function apply(object: KubeObject): Promise<void> {
    const file = join(plane.dir, 'object.json');
    writeFileSync(file, JSON.stringify(object));
    await plane.kubectl('apply', '--server-side', '-f', file);
  }
  /** The output of kubectl on both channels, for a controller of Fluid with every right. */
  const asFluid = (...args: readonly string[]): Promise<string> =>
    new Promise((resolve) =>
      execFile(
        plane.kubectlPath,
        ['--kubeconfig', plane.kubeconfig, `--as=${FLUID}`, '--as-group=system:masters', ...args],
        (_, stdout, stderr) => resolve(stdout + stderr),
      ),
    );
  const REFUSED = 'Sluice serves this namespace for a try';
  const phase = (value: string) => JSON.stringify({ status: { phase: value, conditions: [] } });

  test.each<[string, (namespace: string) => readonly string[]]>([
    ['create an object', (namespace) => ['create', 'configmap', 'a', '-n', namespace]],
    [
      'write a status',
      (namespace) => ['patch', 'dataset', 'demo', '-n', namespace, '--subresource=status', '--type=merge', '-p', phase('Failed')],
    ],
    ['edit a Dataset', (namespace) => ['annotate', 'dataset', 'demo', '-n', namespace, 'a=b']],
    ['delete an object', (namespace) => ['delete', 'configmap', 'kube-root-ca.crt', '-n', namespace]],
    ['label a node for a Dataset', (namespace) => ['label', 'node', 'node-1', `fluid.io/s-h-thin-m-${namespace}-demo=1GiB`]],
    ['give a node to a Dataset alone', (namespace) => ['label', 'node', 'node-1', `fluid_exclusive=${namespace}_demo`, '--overwrite']],
  ])('Fluid cannot %s there, and can in a namespace whose name begins alike', async (_, args) => {
    expect(await asFluid(...args('ml'))).toContain(REFUSED);
    expect(await asFluid(...args('ml-x'))).not.toMatch(/forbidden|error/i);
  });

  test('Fluid cannot write a volume whose claim is there', async () => {
    const volume = (name: string, namespace: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        accessModes: ['ReadOnlyMany'],
        capacity: { storage: '1Gi' },
        csi: { driver: 'a.example', volumeHandle: name },
        claimRef: { namespace, name: 'none' },
      },
    });
    await client.create(ownedKinds.PersistentVolume, volume('theirs', 'ml'));
    expect(await asFluid('delete', 'pv', 'theirs', '--wait=false')).toContain(REFUSED);
    await client.create(ownedKinds.PersistentVolume, volume('others', 'ml-x'));
    expect(await asFluid('delete', 'pv', 'others', '--wait=false')).toContain('deleted');
    await client.delete(ownedKinds.PersistentVolume, { name: 'theirs' });
  });

  test('Fluid cannot run a command in a pod there', async () => {
    const container = { name: 'a', image: 'example.io/a:1' };
    for (const namespace of ['ml', 'ml-x'])
      await apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'idle', namespace },
        spec: { containers: [container] },
      } as KubeObject);
    for (const namespace of ['ml', 'ml-x']) await plane.kubectl('wait', '--for=condition=Ready', 'pod/idle', '-n', namespace);
    expect(await asFluid('exec', 'idle', '-n', 'ml', '--', 'true')).toContain(REFUSED);
    expect(await asFluid('exec', 'idle', '-n', 'ml-x', '--', 'true')).not.toContain(REFUSED);
  });

  test('others than Fluid may write there as before', async () => {
    await plane.kubectl('create', 'configmap', 'mine', '-n', 'ml');
    await plane.kubectl('label', 'node', 'node-1', 'fluid.io/s-ml-demo=true');
    await plane.kubectl('label', 'node', 'node-1', 'fluid.io/s-ml-demo-', 'fluid_exclusive-');
  });

  test("a controller of ml binds its Dataset, and leaves the other namespace's alone", async () => {
    const running = await startSluice(plane, { installed: true, namespaces: ['ml'] });
    try {
      const phaseIn = async (namespace: string) =>
        plane.kubectl('get', 'dataset', 'demo', '-n', namespace, '-o', 'jsonpath={.status.phase}');
      await eventually(async () => expect(await phaseIn('ml')).toBe('Bound'));
      expect(await phaseIn('ml-x')).not.toBe('Bound');
      expect(await plane.kubectl('get', 'daemonsets,persistentvolumeclaims', '-n', 'ml-x', '-o', 'name')).toBe('');
      expect(await plane.kubectl('get', 'pv', '-o', 'jsonpath={.items[*].spec.claimRef.namespace}')).toBe('ml');
    } finally {
      await running.stop();
    }
  });

  test('once the binding of the policy is deleted, Fluid may write there', async () => {
    await plane.kubectl('delete', 'validatingadmissionpolicybinding', FENCE);
    expect(await whyOpenNow(client, ['ml'], FLUID, new AbortController().signal)).toContain('there is no ValidatingAdmissionPolicy');
    await eventually(async () => expect(await asFluid('annotate', 'dataset', 'demo', '-n', 'ml', 'c=d')).toContain('annotated'));
  });
});
