import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../src/kube/types.ts';
import { decide } from '../../../src/reconciler/decide.ts';
import type { World } from '../../../src/reconciler/world.ts';
import { root, sluice } from '../run.ts';

const objectsIn = (yaml: string) => parseAllDocuments(yaml).map((document) => document.toJS() as KubeObject);
const refs = (objects: readonly KubeObject[]) => objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
const text = (value: unknown) => JSON.stringify(value);

/** Facts of a cluster: UIDs, a port that was recorded, a fuse that is at generation 3. */
const FACTS = `
apiVersion: v1
kind: List
items:
- { apiVersion: data.fluid.io/v1alpha1, kind: JuiceFSRuntime, metadata: { name: jfsdemo, namespace: default, uid: uid-of-runtime, annotations: { data.fluid.io/ports: '{"for":"uid-of-runtime","ports":{"worker":15007}}' } } }
- { apiVersion: data.fluid.io/v1alpha1, kind: Dataset, metadata: { name: jfsdemo, namespace: default, uid: uid-of-dataset }, spec: { mounts: not looked at } }
- apiVersion: apps/v1
  kind: DaemonSet
  metadata: { name: jfsdemo-fuse, namespace: default }
  spec:
    template:
      metadata: { labels: { fuse.runtime.fluid.io/generation: "3" } }
      spec: { hostNetwork: true, containers: [{ image: "juicedata/mount:old", ports: [{ name: metrics, containerPort: 15008 }] }] }
`;
const CLAIM = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: source, namespace: ml, uid: uid-of-claim }
spec: { volumeName: pv }
---
apiVersion: v1
kind: PersistentVolume
metadata: { name: pv }
spec: { csi: { driver: nas.csi.example, volumeHandle: h1 }, mountOptions: [vers=4] }
---
apiVersion: data.fluid.io/v1alpha1
kind: ThinRuntimeProfile
metadata: { name: nas }
spec: { fileSystemType: nas, fuse: { image: example.io/nas, imageTag: v1 } }
---
apiVersion: data.fluid.io/v1alpha1
kind: Dataset
metadata: { name: demo }
spec: { mounts: [{ mountPoint: "pvc://source", name: source }] }
---
apiVersion: data.fluid.io/v1alpha1
kind: ThinRuntime
metadata: { name: demo }
spec: { profileName: nas }
`;

describe('synth', async () => {
  const juicefs = readFileSync(join(root, 'examples/juicefs.yaml'), 'utf8');
  const [thin, jfs, withFacts, claim, assumed] = await Promise.all([
    sluice(['synth', 'examples/thin.yaml']),
    sluice(['synth', 'examples/juicefs.yaml', '-o', 'json', '--runtime-node-port-range', 'juicefs=14100-14101'], {
      env: { MOUNT_ROOT: '/mnt/fluid' },
    }),
    sluice(['synth', 'examples/juicefs.yaml', '--facts', '-'], { input: FACTS }),
    sluice(['synth', '-n', 'ml', '-'], { input: CLAIM }),
    sluice(['synth', '--assume-secrets', '-'], { input: juicefs.slice(juicefs.indexOf('---')) }),
  ]);

  test('prints the objects of a ThinRuntime as YAML, scripts unfolded', async () => {
    expect(thin).toMatchObject({ code: 0, stderr: '' });
    await expect(thin.stdout).toMatchFileSnapshot(join(root, 'test/golden/cli/thin.yaml'));
  });
  test('prints those of a JuiceFSRuntime in the order in which they are applied', () => {
    const { items } = JSON.parse(jfs.stdout) as { items: readonly KubeObject[] };
    expect(refs(items)).toEqual([
      'ConfigMap/jfsdemo-fuse-script',
      'DaemonSet/jfsdemo-fuse',
      'ConfigMap/jfsdemo-worker-script',
      'StatefulSet/jfsdemo-worker',
      'ServiceAccount/jfsdemo-loader',
      'Role/jfsdemo-loader',
      'RoleBinding/jfsdemo-loader',
      'PersistentVolume/default-jfsdemo',
      'PersistentVolumeClaim/jfsdemo',
    ]);
  });
  test('allocates the first ports of a range where none are recorded, and honours the environment', () => {
    expect(jfs.stdout).toContain('metrics=0.0.0.0:14100');
    expect(jfs.stdout).toContain('metrics=0.0.0.0:14101');
    expect(jfs.stdout).toContain('/mnt/fluid/juicefs/default/jfsdemo');
  });
  test('prints unknown UIDs as such', () => expect(thin.stdout).toContain('uid: <uid:ThinRuntime/minio-demo>'));
  test('takes UIDs, recorded ports and the state of the fuse from facts, whose specs do not matter', () => {
    const objects = objectsIn(withFacts.stdout);
    expect(withFacts.stderr).toBe('');
    expect(text(objects)).not.toContain('<uid:');
    expect(text(objects)).toContain('metrics=0.0.0.0:15007');
    expect(text(objects)).toContain('metrics=0.0.0.0:15008');
    const fuse = objects.find(({ kind }) => kind === 'DaemonSet');
    expect(fuse).toMatchObject({ spec: { template: { metadata: { labels: { 'fuse.runtime.fluid.io/generation': '4' } } } } });
  });
  test('finds claims, volumes and profiles in the input itself', () => {
    const config = objectsIn(claim.stdout).find(({ kind }) => kind === 'ConfigMap') as KubeObject & { data: Record<string, string> };
    expect(claim.stderr).toBe('');
    expect(config.metadata.namespace).toBe('ml');
    expect(config.data['config.json']).toContain('"persistentVolumeAttrs":{"source":{"driver":"nas.csi.example","volumeHandle":"h1"}}');
  });
  test('takes Secrets for granted only with the flag', () => expect(assumed).toMatchObject({ code: 0, stderr: '' }));

  test('warns of what has no effect, and of whose field it is, beside what it prints', async () => {
    const alluxio = readFileSync(join(root, 'examples/alluxio.yaml'), 'utf8')
      .replace('    - name: images', '    - name: images\n      path: sub')
      .replace('  replicas: 1', '  replicas: 1\n  data: { pin: true }');
    const { code, stdout, stderr } = await sluice(['synth', '-n', 'ml', '-'], { input: alluxio });
    expect(code).toBe(0);
    expect(stdout).not.toContain('warning:');
    expect(stderr.trimEnd().split('\n')).toEqual([
      'warning: AlluxioRuntime ml/alluxiodemo: spec.data.pin: has no effect',
      'warning: Dataset ml/alluxiodemo: spec.mounts[0].path: expected an absolute path, found "sub"; mounted at "/images"',
    ]);
  });

  test('knows the order of the lifecycle', () => {
    const world = {
      bound: true,
      plan: { roles: ['master', 'fuse', 'worker'], base: { replicas: {} } },
      workloads: {},
      missingSecrets: [],
    } as unknown as World;
    expect(decide(world).actions.flatMap((action) => (action.do === 'ensure' ? action.part : []))).toEqual([
      'master',
      'fuse',
      'worker',
      'claim',
      'volume',
    ]);
  });
});
