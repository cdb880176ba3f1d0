/** Alluxio on a real API server: what its kinds of object need of one, in the formats of 2.9.4. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';
import { alluxioRuntime, datasetObject } from '../../support/objects.ts';
import { autoscaler } from '../../support/autoscaling.ts';
import { condition, type Sluice, startSluice } from '../../support/sluice.ts';

describe.skipIf(!simulated)('an Alluxio', () => {
  let sluice: Sluice;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane(), { probeMs: 60_000 });
  });
  afterAll(() => sluice?.stop());

  test('is Bound, is left alone then, and leaves nothing', async () => {
    const space = await sluice.space('alluxio');
    const { namespace } = space;
    const { exec } = sluice.plane;
    await space.create(
      datasetObject('demo', {
        placement: 'Shared',
        mounts: ['spark', 'hbase'].map((name) => ({ mountPoint: `https://a.example/${name}/`, name })),
      }),
      alluxioRuntime('demo', {
        replicas: 1,
        apiGateway: { enabled: true },
        tieredstore: { levels: [{ mediumtype: 'SSD', path: '/cache', quota: '64Mi' }] },
      }),
    );
    await space.bound('AlluxioRuntime', 'demo');
    await space.becomes('Dataset', 'demo', { status: { mounts: [{ name: 'spark' }, { name: 'hbase' }] } });
    await space.becomes('Dataset', 'demo', { status: { fileNum: '1152', cacheStates: { cacheCapacity: '4.00GiB' } } });
    expect(await space.made()).toEqual(
      expect.arrayContaining(['ConfigMap/demo-config', 'Service/demo-master-0', 'StatefulSet/demo-master', 'StatefulSet/demo-worker']),
    );
    // Its templates are as the API server prints them: they were not written a second time.
    for (const [kind, name] of [
      ['StatefulSet', 'demo-master'],
      ['StatefulSet', 'demo-worker'],
      ['DaemonSet', 'demo-fuse'],
    ] as const)
      expect((await space.get(kind, name)).metadata.generation, name).toBe(1);
    await space.delete('Dataset', 'demo');
    await space.gone('Dataset', 'demo');
    expect(await space.made()).toEqual([]);
    const cleaning = (await exec.calls({ namespace })).filter(({ argv }) => argv[2]?.includes('rm -rf'));
    expect(cleaning.map(({ pod, argv }) => [pod, argv.slice(4)])).toEqual([['demo-worker-0', [`/cache/${namespace}/demo`]]]);
  });

  test('is scaled out and in, by hand and by the HorizontalPodAutoscaler of the documentation', async () => {
    const space = await sluice.space('alluxio-scale');
    await space.create(
      datasetObject('demo', { placement: 'Shared', mounts: [{ mountPoint: 'https://a.example/spark/', name: 'spark' }] }),
      alluxioRuntime('demo', { replicas: 1 }),
    );
    await space.bound('AlluxioRuntime', 'demo');
    const has = async (replicas: number) => {
      await space.becomes('AlluxioRuntime', 'demo', { spec: { replicas } });
      await space.becomes('StatefulSet', 'demo-worker', { spec: { replicas }, status: { readyReplicas: replicas } });
      const status = { desiredWorkerNumberScheduled: replicas, currentWorkerNumberScheduled: replicas };
      await space.becomes('AlluxioRuntime', 'demo', { status });
    };
    await space.kubectl('scale', 'alluxio/demo', '--replicas=3');
    await has(3);
    const scale = JSON.parse(
      await space.kubectl('get', '--raw', `/apis/data.fluid.io/v1alpha1/namespaces/${space.namespace}/alluxioruntimes/demo/scale`),
    ) as { status: { replicas: number; selector: string } };
    expect(scale.status.replicas).toBe(3);
    const selected = await space.kubectl('get', 'pods', '-l', scale.status.selector, '-o', 'name');
    expect(selected.trim().split('\n')).toEqual(['pod/demo-worker-0', 'pod/demo-worker-1', 'pod/demo-worker-2']);
    await space.kubectl('scale', 'alluxio/demo', '--replicas=1');
    await has(1);

    // Below its minimum and above its maximum an autoscaler needs no metric.
    await space.create({ ...autoscaler, metadata: { name: 'demo' }, spec: { ...autoscaler.spec, minReplicas: 2 } });
    // It learns twice a minute which kinds there are.
    await space.becomes('AlluxioRuntime', 'demo', { spec: { replicas: 2 } }, 120);
    await has(2);
    await space.patch('HorizontalPodAutoscaler', 'demo', { spec: { minReplicas: 1, maxReplicas: 1 } });
    await has(1);
    // It has the scale of the runtime and its pods, and lacks an adapter only.
    await space.becomes('HorizontalPodAutoscaler', 'demo', condition('AbleToScale', { status: 'True', reason: 'SucceededGetScale' }));
    await space.becomes('HorizontalPodAutoscaler', 'demo', condition('ScalingActive', { reason: 'FailedGetObjectMetric' }));
    await space.delete('HorizontalPodAutoscaler', 'demo');
  });

  test('of three masters is Bound, and a mount that is added later goes to the master that leads then', async () => {
    const space = await sluice.space('alluxio-masters');
    const { namespace } = space;
    const { exec } = sluice.plane;
    const [spark, hbase] = ['spark', 'hbase'].map((name) => ({ mountPoint: `https://a.example/${name}/`, name }));
    const podsThatMount = async () =>
      (await exec.calls({ namespace })).filter(({ argv }) => argv[2]?.includes('\nmount ')).map(({ pod }) => pod);
    await space.create(
      datasetObject('demo', { placement: 'Shared', mounts: [spark!] }),
      alluxioRuntime('demo', { replicas: 1, master: { replicas: 3 } }),
    );
    await space.bound('AlluxioRuntime', 'demo');
    await space.becomes('Dataset', 'demo', {
      status: { fileNum: '1152', runtimes: [{ masterReplicas: 3 }], cacheStates: { cacheCapacity: '4.00GiB' } },
    });
    await space.becomes('AlluxioRuntime', 'demo', { status: { masterPhase: 'Ready', masterNumberReady: 3 } });
    expect(await space.made()).toEqual(expect.arrayContaining([0, 1, 2].map((i) => `Service/demo-master-${i}`)));
    expect((await space.get('StatefulSet', 'demo-master')).metadata.generation).toBe(1);
    expect(await podsThatMount()).toEqual(['demo-master-0']);

    await exec.answer({
      namespace,
      argv: /for at in demo-master-0 .*"\$at"\s*$/s,
      container: 'alluxio-master',
      stdout: 'demo-master-2\n',
      pod: /^demo-master-/,
    });
    await space.patch('Dataset', 'demo', { spec: { mounts: [spark, hbase] } });
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', mounts: [{ name: 'spark' }, { name: 'hbase' }] } });
    expect(await podsThatMount()).toEqual(['demo-master-0', 'demo-master-2']);
    await space.delete('Dataset', 'demo');
    await space.gone('Dataset', 'demo');
    expect(await space.made()).toEqual([]);
  });
});
