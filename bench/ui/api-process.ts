/** An API server in memory, over HTTPS, with so many Datasets and their runtimes; for each message of its parent one of them changes. */
import { resources } from '../../runtimes/_resources.gen.ts';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { installationOf, settled } from '../../src/install/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { startPlayground } from '../../src/playground/playground.ts';

export interface Changed {
  /** ms since 1970, with a fraction. */
  readonly at: number;
}

const count = Number(process.argv[2]);
const NAMESPACES = 200;
const TIME = '2026-01-02T03:04:05Z';
const amount = (i: number, salt: number): string => `${(((i * 2_654_435_761 + salt * 40_503) % 1_000_003) / 1000).toFixed(2)}GiB`;

const options = settled({}, 'sluice:0', { furtherRuntimes: false });
const manifests = installationOf(options, { resources, runtimes }) as unknown as readonly KubeObject[];
const { server, kubeconfig } = await startPlayground({
  manifests: manifests.filter(({ kind }) => kind === 'CustomResourceDefinition'),
  nodes: 3,
  port: 0,
  onFault: (error) => console.error(error),
});

const metaOf = (i: number) => ({
  namespace: `team-${String(i % NAMESPACES).padStart(3, '0')}`,
  name: `images-${String(i).padStart(5, '0')}`,
});
/** @param times how often it has changed */
function dataset(i: number, times = 0): KubeObject {
  const percent = `${((i + times) % 1000) / 10}%`;
  const condition = { status: 'True', lastUpdateTime: TIME, lastTransitionTime: TIME };
  const trouble = {
    ...condition,
    type: 'NotReady',
    reason: 'WorkersNotReady',
    message: `0 of ${i % 9} pods of StatefulSet images-${i}-worker are ready`,
  };
  const conditions =
    i % 20 === 0 ? [trouble] : [{ ...condition, type: 'Ready', reason: 'DatasetReady', message: 'The ddc runtime is ready.' }];
  return {
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'Dataset',
    metadata: { ...metaOf(i), labels: { 'fluid.io/dataset-id': `team-${i}` }, finalizers: ['fluid-dataset-controller-finalizer'] },
    spec: { mounts: [{ mountPoint: `s3://bucket-${i}/train`, name: 'train', options: { region: 'eu-central-1' } }] },
    status: {
      phase: i % 20 === 0 ? 'NotBound' : 'Bound',
      conditions,
      runtimes: [{ name: metaOf(i).name, namespace: metaOf(i).namespace, category: 'Accelerate', type: 'alluxio' }],
      cacheStates: { cached: amount(i, times), cacheCapacity: amount(i, 2), cacheHitRatio: percent, cachedPercentage: percent },
      ufsTotal: amount(i, 3),
      fileNum: String(i * 7),
      observedGeneration: 1,
    },
  };
}
const types = ['MasterInitialized', 'MasterReady', 'WorkersInitialized', 'WorkersReady', 'FusesReady', 'Synced', 'Ready'];
const COUNTED = ['Master', 'Worker', 'Fuse'].flatMap((role) => [
  `desired${role}NumberScheduled`,
  `current${role}NumberScheduled`,
  `${role.toLowerCase()}NumberReady`,
]);
const runtime = (i: number): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'AlluxioRuntime',
  metadata: metaOf(i),
  spec: { replicas: 2, tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm', quota: '8Gi' }] } },
  status: {
    valueFile: `${metaOf(i).name}-alluxio-values`,
    ...Object.fromEntries(COUNTED.map((field) => [field, 2])),
    masterPhase: 'Ready',
    workerPhase: 'Ready',
    fusePhase: 'Ready',
    conditions: types.map((type) => ({
      type,
      status: 'True',
      reason: type,
      message: `${type} is so.`,
      lastProbeTime: TIME,
      lastTransitionTime: TIME,
    })),
  },
});

for (let i = 0; i < count; i++) {
  server.put(dataset(i), 'sluice');
  server.put(runtime(i), 'sluice');
}
const changes = new Map<number, number>();
process.on('message', (i: number) => {
  const times = (changes.get(i) ?? 0) + 1;
  changes.set(i, times);
  server.put(dataset(i, times), 'sluice');
  process.send?.({ at: performance.timeOrigin + performance.now() } satisfies Changed);
});
process.on('disconnect', () => process.exit());
process.send?.({ kubeconfig });
