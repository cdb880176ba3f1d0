import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';
import type { Kind } from '../../support/kinds.ts';
import { jfsDataset, jfsRuntime, jfsSecret, openDataset, thinRuntime } from '../../support/objects.ts';
import { condition, eventually, PROFILE, type Sluice, type Space, says, startSluice } from '../../support/sluice.ts';

describe.skipIf(!simulated).concurrent('edits of what is bound', () => {
  let sluice: Sluice;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane());
  });
  afterAll(() => sluice?.stop());

  async function boundJfs(spec: Parameters<typeof jfsRuntime>[1] = {}): Promise<Space> {
    const space = await sluice.space('edit');
    await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo', spec));
    await space.bound('JuiceFSRuntime', 'demo');
    return space;
  }
  async function boundThin(): Promise<Space> {
    const space = await sluice.space('edit');
    await space.create(openDataset('demo'), thinRuntime('demo', { profileName: PROFILE }));
    await space.bound('ThinRuntime', 'demo');
    return space;
  }

  describe('scaling', () => {
    test('through the scale subresource adds and removes workers, and says so', async () => {
      const space = await boundJfs();
      await space.kubectl('scale', 'juicefs/demo', '--replicas=3');
      await space.becomes('StatefulSet', 'demo-worker', { spec: { replicas: 3 }, status: { readyReplicas: 3 } });
      await space.becomes('JuiceFSRuntime', 'demo', {
        status: { desiredWorkerNumberScheduled: 3, currentWorkerNumberScheduled: 3, workerNumberReady: 3 },
      });
      const out = { status: 'True', reason: 'Workers scaled out', message: 'Workers scaled out from 1 replicas to 3 replicas.' };
      await space.becomes('JuiceFSRuntime', 'demo', condition('WorkersScaledOut', out));
      await eventually(async () => expect(await space.events('demo')).toContainEqual(says('Normal Succeed: Runtime scaled out')));
      await eventually(async () => expect(await labelled(space)).toHaveLength(3));

      const scale = JSON.parse(
        await space.kubectl('get', '--raw', `/apis/data.fluid.io/v1alpha1/namespaces/${space.namespace}/juicefsruntimes/demo/scale`),
      ) as { status: { replicas: number; selector: string } };
      expect(scale.status.replicas).toBe(3);
      const selected = await space.kubectl('get', 'pods', '-l', scale.status.selector, '-o', 'name');
      expect(selected.trim().split('\n')).toEqual(['pod/demo-worker-0', 'pod/demo-worker-1', 'pod/demo-worker-2']);

      await space.kubectl('scale', 'juicefs/demo', '--replicas=1');
      await space.becomes('JuiceFSRuntime', 'demo', { status: { desiredWorkerNumberScheduled: 1, currentWorkerNumberScheduled: 1 } });
      await space.becomes(
        'JuiceFSRuntime',
        'demo',
        condition('WorkersScaledIn', { status: 'True', message: 'Workers scaled in from 3 replicas to 1 replicas.' }),
      );
      await eventually(async () => expect(await labelled(space)).toHaveLength(1));
    });

    test('to nothing and back keeps the dataset bound', async () => {
      const space = await boundJfs();
      await space.kubectl('scale', 'juicefs/demo', '--replicas=0');
      await space.becomes('JuiceFSRuntime', 'demo', {
        status: { desiredWorkerNumberScheduled: 0, currentWorkerNumberScheduled: 0, workerPhase: 'Ready' },
      });
      await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', cacheStates: { cacheCapacity: '0.00B' } } });
      await eventually(async () => expect(await labelled(space)).toEqual([]));
      await space.kubectl('scale', 'juicefs/demo', '--replicas=1');
      await space.becomes('JuiceFSRuntime', 'demo', { status: { workerNumberReady: 1, workerPhase: 'Ready' } });
      await space.bound('JuiceFSRuntime', 'demo');
    });

    /** Nodes that carry a label of the dataset. */
    async function labelled(space: Space): Promise<readonly string[]> {
      const key = `fluid.io/s-juicefs-${space.namespace}-demo`;
      return (await space.list('Node')).filter(({ metadata }) => metadata.labels?.[key]).map(({ metadata }) => metadata.name);
    }
  });

  describe('of a spec', () => {
    const container = (expected: object) => ({ spec: { template: { spec: { containers: [expected] } } } });
    const env = (name: string, value: string) => ({ name, value });
    /** An edit of one object, and the object that follows it. */
    const edits: readonly (readonly [string, Kind, object, Kind, string, object])[] = [
      [
        'the image of the workers',
        'JuiceFSRuntime',
        { juicefsVersion: { image: 'example.io/jfs', imageTag: 'v2' } },
        'StatefulSet',
        'demo-worker',
        container({ image: 'example.io/jfs:v2' }),
      ],
      [
        'the image of the fuse pods',
        'JuiceFSRuntime',
        { fuse: { image: 'example.io/jfs', imageTag: 'v3' } },
        'DaemonSet',
        'demo-fuse',
        container({ image: 'example.io/jfs:v3' }),
      ],
      [
        'the resources of the workers',
        'JuiceFSRuntime',
        { worker: { resources: { requests: { cpu: '500m', memory: '1Gi' } } } },
        'StatefulSet',
        'demo-worker',
        container({ resources: { requests: { cpu: '500m', memory: '1Gi' } } }),
      ],
      [
        'the environment of the fuse pods',
        'JuiceFSRuntime',
        { fuse: { env: [env('EXTRA', 'yes')] } },
        'DaemonSet',
        'demo-fuse',
        container({ env: expect.arrayContaining([env('EXTRA', 'yes')]) }),
      ],
      [
        'the options of the workers',
        'JuiceFSRuntime',
        { worker: { options: { 'buffer-size': '300' } } },
        'ConfigMap',
        'demo-worker-script',
        { data: { 'script.sh': says('buffer-size=300') } },
      ],
      [
        'the options of the fuse pods',
        'JuiceFSRuntime',
        { fuse: { options: { 'max-uploads': '7' } } },
        'ConfigMap',
        'demo-fuse-script',
        { data: { 'script.sh': says('max-uploads=7') } },
      ],
      [
        'the size of the cache',
        'JuiceFSRuntime',
        { tieredstore: { levels: [{ mediumtype: 'SSD', path: '/var/lib/juicefs', quota: '2Gi' }] } },
        'ConfigMap',
        'demo-worker-script',
        { data: { 'script.sh': says('cache-size=2048') } },
      ],
      [
        'labels of the pods',
        'JuiceFSRuntime',
        { podMetadata: { labels: { team: 'a' } } },
        'DaemonSet',
        'demo-fuse',
        { spec: { template: { metadata: { labels: { team: 'a' } } } } },
      ],
      [
        'the network of the workers',
        'JuiceFSRuntime',
        { worker: { networkMode: 'ContainerNetwork' } },
        'StatefulSet',
        'demo-worker',
        { spec: { template: { spec: { dnsPolicy: 'ClusterFirst' } } } },
      ],
      [
        'tolerations',
        'Dataset',
        { tolerations: [{ key: 'gpu', operator: 'Exists' }] },
        'StatefulSet',
        'demo-worker',
        { spec: { template: { spec: { tolerations: [{ key: 'gpu', operator: 'Exists' }] } } } },
      ],
      [
        'the options of all mounts',
        'Dataset',
        { sharedOptions: { 'attr-cache': '11' } },
        'ConfigMap',
        'demo-fuse-script',
        { data: { 'script.sh': says('attr-cache=11') } },
      ],
    ];
    test('are applied, and what is taken back is removed again', async () => {
      const space = await boundJfs();
      const shape = async () => {
        const objects = await Promise.all(
          (
            [
              ['StatefulSet', 'demo-worker'],
              ['DaemonSet', 'demo-fuse'],
              ['ConfigMap', 'demo-worker-script'],
              ['ConfigMap', 'demo-fuse-script'],
            ] as const
          ).map(([kind, name]) => space.get(kind, name)),
        );
        return (
          JSON.stringify(objects.map(({ spec, data }) => ({ spec, data })))
            .replaceAll(/"fuse.runtime.fluid.io\/generation":"\d+"/g, '')
            // Allocated again when workers leave the network of their nodes and come back.
            .replaceAll(/\b1[45]\d{3}\b/g, 'PORT')
        );
      };
      const before = await shape();
      for (const [what, kind, spec, changed, name, expected] of edits) {
        const { spec: old } = (await space.get(kind, 'demo')) as unknown as { spec: Record<string, unknown> };
        await space.patch(kind, 'demo', { spec });
        await space.becomes(changed, name, expected).catch((error: unknown) => {
          throw new Error(`${what} was not applied`, { cause: error });
        });
        await space.bound('JuiceFSRuntime', 'demo');
        // Written back as it was: a merge patch would only add.
        for (const field of Object.keys(spec)) {
          if (old[field] === undefined) await space.patch(kind, 'demo', { spec: { [field]: null } });
          else await space.replace(kind, 'demo', `/spec/${field}`, old[field]);
        }
        await eventually(async () => expect(await shape(), what).toBe(before));
      }
      await space.bound('JuiceFSRuntime', 'demo');
    });

    test('may name a variable twice, as Kubernetes lets them: the later counts, and can be edited again', async () => {
      const space = await boundJfs({ fuse: { env: [env('TWICE', '1'), env('TWICE', '2')] } });
      const value = async () => {
        const { containers } = (
          (await space.get('DaemonSet', 'demo-fuse')) as unknown as {
            spec: { template: { spec: Record<'containers', readonly { env: readonly object[] }[]> } };
          }
        ).spec.template.spec;
        return containers[0]?.env.filter((entry) => 'name' in entry && entry.name === 'TWICE');
      };
      expect(await value()).toEqual([env('TWICE', '2')]);
      await space.patch('JuiceFSRuntime', 'demo', { spec: { fuse: { env: [env('TWICE', '3'), env('TWICE', '4')] } } });
      await eventually(async () => expect(await value()).toEqual([env('TWICE', '4')]));
      await space.bound('JuiceFSRuntime', 'demo');
    });

    test('of the image counts the generation of the fuse pods, also on the claim; other edits do not', async () => {
      const space = await boundJfs();
      const generation = (n: string) => ({ 'fuse.runtime.fluid.io/generation': n });
      const both = async (n: string) => {
        await space.becomes('DaemonSet', 'demo-fuse', { spec: { template: { metadata: { labels: generation(n) } } } });
        await space.becomes('PersistentVolumeClaim', 'demo', { metadata: { labels: generation(n) } });
      };
      await both('1');
      await space.patch('JuiceFSRuntime', 'demo', { spec: { fuse: { image: 'example.io/jfs', imageTag: 'v2' } } });
      await both('2');
      await space.patch('JuiceFSRuntime', 'demo', { spec: { fuse: { env: [env('EXTRA', 'yes')] } } });
      await space.becomes('DaemonSet', 'demo-fuse', container({ env: expect.arrayContaining([env('EXTRA', 'yes')]) }));
      await both('2');
      await space.patch('JuiceFSRuntime', 'demo', { spec: { fuse: { imageTag: 'v3' } } });
      await both('3');
    });

    test('reach fuse pods that run: their configuration is brought to them at once', async () => {
      const space = await boundThin();
      const node = await usedNode(space);
      const pod = await eventually(async () => {
        const [found] = await space.list('Pod');
        expect(found).toMatchObject({ status: { phase: 'Running' } });
        return found as KubeObject;
      });
      await space.patch('Dataset', 'demo', { spec: { mounts: [{ mountPoint: 's3://other', name: 'data' }] } });
      await space.becomes('ConfigMap', 'demo-fuse-conf', { data: { 'config.json': says('s3://other') } });
      await space.becomes('Pod', pod.metadata.name, { metadata: { annotations: { 'fluid.io/f-update-fuse-config': '1' } } });
      await node.free();
    });

    test('never touch what users wrote', async () => {
      const space = await boundJfs();
      for (const kind of ['Dataset', 'JuiceFSRuntime'] as const) {
        const { metadata } = await space.get(kind, 'demo');
        const managers = (metadata.managedFields ?? []) as readonly { manager: string; fieldsV1: Record<string, unknown> }[];
        expect(metadata.generation).toBe(1);
        expect(managers.filter(({ manager, fieldsV1 }) => manager === 'sluice' && 'f:spec' in fieldsV1)).toEqual([]);
      }
    });
  });

  describe('that Kubernetes does not allow', () => {
    test('are reported with the difference, all else is applied, and the report goes when they are taken back', async () => {
      const space = await sluice.space('edit');
      const scratch = scratchVolume(space.namespace);
      const worker = { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] };
      await space.create(
        scratch,
        jfsSecret(),
        jfsDataset('demo'),
        jfsRuntime('demo', { worker, volumeClaimTemplates: [claimTemplate('1Gi')] }),
      );
      await space.bound('JuiceFSRuntime', 'demo');
      await space.patch('JuiceFSRuntime', 'demo', {
        spec: { volumeClaimTemplates: [claimTemplate('2Gi')], worker: { env: [{ name: 'EXTRA', value: 'yes' }] } },
      });
      const message = says('StatefulSet/demo-worker spec.volumeClaimTemplates', '"1Gi"', '→', '"2Gi"');
      await space.becomes('JuiceFSRuntime', 'demo', condition('ImmutableFieldChanged', { status: 'True', message }));
      await space.becomes('StatefulSet', 'demo-worker', {
        spec: {
          template: { spec: { containers: [{ env: expect.arrayContaining([{ name: 'EXTRA', value: 'yes' }]) }] } },
          volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '1Gi' } } } }],
        },
      });
      await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
      await space.patch('JuiceFSRuntime', 'demo', { spec: { volumeClaimTemplates: [claimTemplate('1Gi')] } });
      await eventually(async () =>
        expect(JSON.stringify(await space.get('JuiceFSRuntime', 'demo'))).not.toContain('ImmutableFieldChanged'),
      );
      await space.delete('PersistentVolume', scratch.metadata.name);
    });

    test('of the volume and its claim are reported too', async () => {
      const space = await boundThin();
      await space.patch('ThinRuntime', 'demo', { metadata: { annotations: { 'fluid.io/skip-check-mount-ready-target': 'All' } } });
      await space.patch('Dataset', 'demo', { spec: { accessModes: ['ReadWriteMany'] } });
      await space.becomes(
        'ThinRuntime',
        'demo',
        condition('ImmutableFieldChanged', { message: says(`PersistentVolume/${space.namespace}-demo spec.csi`, 'nothing → "All"') }),
      );
      await space.becomes(
        'ThinRuntime',
        'demo',
        condition('ImmutableFieldChanged', {
          message: says('PersistentVolumeClaim/demo spec.accessModes[0]: "ReadOnlyMany" → "ReadWriteMany"'),
        }),
      );
      await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
    });
  });

  describe('that wait for a restart', () => {
    test('name the workers that run an older template, until they are deleted', async () => {
      const space = await boundJfs();
      await space.patch('JuiceFSRuntime', 'demo', { spec: { juicefsVersion: { image: 'example.io/jfs', imageTag: 'v2' } } });
      const message = 'These pods run an older template until they are deleted: demo-worker-0';
      await space.becomes('JuiceFSRuntime', 'demo', condition('PodsOutdated', { status: 'True', message }));
      expect(await space.get('Pod', 'demo-worker-0')).not.toMatchObject({ spec: { containers: [{ image: 'example.io/jfs:v2' }] } });
      await space.delete('Pod', 'demo-worker-0');
      await eventually(async () => expect(JSON.stringify(await space.get('JuiceFSRuntime', 'demo'))).not.toContain('PodsOutdated'));
      await space.becomes('Pod', 'demo-worker-0', { spec: { containers: [{ image: 'example.io/jfs:v2' }] } });
    });

    test('name the fuse pods as well', async () => {
      const space = await boundThin();
      const node = await usedNode(space);
      await space.becomes('ThinRuntime', 'demo', { status: { desiredFuseNumberScheduled: 1, fuseNumberReady: 1, fusePhase: 'Ready' } });
      await space.patch('ThinRuntime', 'demo', { spec: { fuse: { imageTag: 'v2' } } });
      await space.becomes('ThinRuntime', 'demo', condition('PodsOutdated', { status: 'True', message: says('demo-fuse-') }));
      const [pod] = await space.list('Pod');
      await space.delete('Pod', pod?.metadata.name ?? '');
      await eventually(async () => expect(JSON.stringify(await space.get('ThinRuntime', 'demo'))).not.toContain('PodsOutdated'));
      await node.free();
    });
  });

  /** A node on which a pod uses the dataset: the CSI plugin would label it so. */
  async function usedNode(space: Space): Promise<{ free(): Promise<unknown> }> {
    const key = `fluid.io/f-${space.namespace}-demo`;
    await space.patch('Node', 'node-1', { metadata: { labels: { [key]: 'true' } } });
    return { free: () => space.patch('Node', 'node-1', { metadata: { labels: { [key]: null } } }) };
  }
});

/** For the only worker: no provisioner runs here. */
const scratchVolume = (namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: `scratch-${namespace}` },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'scratch',
    claimRef: { namespace, name: 'scratch-demo-worker-0' },
    hostPath: { path: '/scratch' },
  },
});

const claimTemplate = (storage: string) => ({
  metadata: { name: 'scratch' },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'scratch', resources: { requests: { storage } } },
});
