/** The admission policies of examples/policies on a real API server. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { root } from '../cli/run.ts';
import { datasetObject, jfsDataset, jfsRuntime, jfsSecret, openDataset, thinRuntime } from '../support/objects.ts';
import { hasPolicies } from '../support/kubernetes.ts';
import { condition, eventually, PROFILE, says, type Sluice, type Space, startSluice } from '../support/sluice.ts';
import { sharedControlPlane, simulated } from '../support/test-cluster.ts';

/** A policy and its binding have one name. */
const POLICIES = ['sluice-workloads', 'sluice-local-data'];
const level = (path: string) => ({ mediumtype: 'SSD', path, quota: '1Gi', volumeType: 'hostPath' }) as const;

describe.skipIf(!simulated || !hasPolicies)('policies of users', () => {
  let sluice: Sluice;
  let space: Space;
  beforeAll(async () => {
    const plane = sharedControlPlane();
    sluice = await startSluice(plane);
    space = await sluice.space('policies');
    await plane.kubectlApply(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fluid-system' } }));
    await plane.kubectl('apply', '--server-side', '-f', join(root, 'examples/policies'));
    const directories = '/runtime-mnt\n/dev/fuse\n/mnt/cache\n';
    await plane.kubectl(
      'patch',
      'configmap',
      'sluice-allowed',
      '-n',
      'fluid-system',
      '--type=merge',
      '-p',
      JSON.stringify({ data: { directories, images: 'juicedata/\nexample.io/fuse:\n' } }),
    );
    await plane.kubectl('label', 'namespace', space.namespace, 'data.fluid.io/policies=enforced');
    // A policy is in force some moments after it was created, and another one some moments later.
    const refused = (object: KubeObject) =>
      eventually(async () => {
        const created = await space.create(object).then(
          () => space.delete(object.kind as 'Dataset' | 'DaemonSet', object.metadata.name).then(() => true),
          () => false,
        );
        expect(created).toBe(false);
      });
    await refused(local('probe'));
    await refused(daemonSet('probe'));
  });
  afterAll(async () => {
    for (const policy of POLICIES)
      await sluice?.plane.kubectl('delete', 'validatingadmissionpolicybinding,validatingadmissionpolicy', policy, '--ignore-not-found');
    await sluice?.stop();
  });

  const backup = (name: string): KubeObject => ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataBackup',
    metadata: { name },
    spec: { dataset: 'a', backupPath: 'local:///etc' },
  });
  const daemonSet = (name: string): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'sluice' } },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name, image: 'evil.example/x' }], nodeSelector: { nowhere: 'true' } },
      },
    },
  });
  const local = (name: string) => datasetObject(name, { mounts: [{ mountPoint: 'local:///etc', name: 'etc' }] });

  test.each<readonly [string, KubeObject, string]>([
    ['a Dataset of a directory', local('a'), 'spec.mounts: expected no local://'],
    [
      'a Dataset with a volume of the host for its client',
      datasetObject('a', { mounts: [{ mountPoint: 's3://b', name: 'b', options: { 'fluid.fuse.hostvolume': '/etc' } }] }),
      'spec.mounts: expected no option fluid.fuse.hostvolume',
    ],
    [
      'one that says it for all mounts',
      datasetObject('a', { mounts: [{ mountPoint: 's3://b', name: 'b' }], sharedOptions: { 'fluid.fuse.hostvolume': '/etc' } }),
      'spec.sharedOptions: expected no option',
    ],
    [
      'a Dataset that is restored from a directory',
      openDataset('a', { dataRestoreLocation: { path: 'local:///etc' } }),
      'spec.dataRestoreLocation: expected no local://',
    ],
    ['a DataBackup into a directory', backup('a'), 'spec.backupPath: expected no local://'],
  ])('%s is refused when it is applied, with the field', (_, object, message) => expect(space.create(object)).rejects.toThrow(message));

  test('a runtime is set up whose images and directories are allowed', async () => {
    await space.create(jfsSecret(), jfsDataset('good'), jfsRuntime('good', { tieredstore: { levels: [level('/mnt/cache/jfs')] } }));
    await space.bound('JuiceFSRuntime', 'good');
  });
  test('a runtime with another directory of nodes says so, and gets no workload', async () => {
    await space.create(jfsDataset('far'), jfsRuntime('far', { tieredstore: { levels: [level('/mnt/cachesecret')] } }));
    const message = says('directories of nodes: expected those of ConfigMap fluid-system/sluice-allowed, found /mnt/cachesecret');
    await space.becomes('JuiceFSRuntime', 'far', condition('Synced', { status: 'False', message }));
    expect(await space.made()).not.toContain('DaemonSet/far-fuse');
  });
  test('a runtime with another image says so', async () => {
    await space.create(
      openDataset('evil'),
      thinRuntime('evil', { profileName: PROFILE, fuse: { image: 'evil.example/fuse', imageTag: 'v1' } }),
    );
    const message = says('images: expected those of ConfigMap fluid-system/sluice-allowed, found evil.example/fuse:v1');
    await space.becomes('ThinRuntime', 'evil', condition('Synced', { status: 'False', message }));
  });
  test('an edit to another image is not carried out, and pods keep the one that is allowed', async () => {
    await space.patch('JuiceFSRuntime', 'good', { spec: { fuse: { image: 'evil.example/juicefs', imageTag: 'v1' } } });
    await space.becomes('JuiceFSRuntime', 'good', condition('Synced', { status: 'False', message: says('found evil.example/juicefs:v1') }));
    expect(JSON.stringify(await space.get('DaemonSet', 'good-fuse'))).not.toContain('evil.example');
  });
});
