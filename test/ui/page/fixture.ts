/** A fleet that no cluster has, for tests of the page without a server: the same one for the same number of Datasets. */
import type { DatasetRow, DatasetView, Fleet, NodeView, OperationRow } from '../../../src/ui/wire.ts';

const HOUR = 3_600_000;
const KINDS = ['AlluxioRuntime', 'JuiceFSRuntime', 'JindoRuntime', 'ThinRuntime'] as const;
const WORDS = ['imagenet', 'laion', 'wiki', 'speech', 'checkpoints', 'embeddings', 'features', 'logs', 'satellite', 'genomes'] as const;

const TROUBLES = [
  {
    type: 'PodsCrashing',
    reason: 'PodCrashing',
    message:
      'container juicefs-fuse of pod wiki-fuse-x7k2p ended with code 1, 6 times: cannot connect to redis://meta.storage:6379: connection refused',
  },
  {
    type: 'SecretsFound',
    reason: 'SecretMissing',
    message: 'Secret ml/store-keys, named by spec.mounts[0].encryptOptions[0], does not exist',
  },
  {
    type: 'WorkersReady',
    reason: 'WorkersWaiting',
    message: '1 of 3 workers is not scheduled: 0/12 nodes are available: 12 Insufficient memory',
  },
] as const;

export function fleetOf(count: number, now: number, namespaces = 40): Fleet {
  return {
    version: 'fixture-1',
    viewer: { name: 'mira', cluster: 'gpu-west', hidden: [] },
    datasets: Array.from({ length: count }, (_, i) => rowOf(i, now, namespaces)),
    operations: operationsOf(now),
  };
}

export function rowOf(i: number, now: number, namespaces = 40): DatasetRow {
  const capacity = (1 + (i % 7)) * 512 * 2 ** 30;
  const trouble = i % 97 === 3 ? TROUBLES[i % 3] : undefined;
  const isWaiting = i % 211 === 5;
  const cached = Math.floor(capacity * ((i * 37) % 101) * 0.01);
  return {
    namespace: `team-${String(i % namespaces).padStart(2, '0')}`,
    name: `${WORDS[i % WORDS.length]}-${i}`,
    kind: KINDS[i % KINDS.length] ?? '',
    phase: isWaiting ? 'NotBound' : trouble && i % 2 === 1 ? 'Failed' : 'Bound',
    healthy: !trouble && !isWaiting,
    ...(trouble ? { trouble: { ...trouble, since: now - (i % 50) * 300_000 } } : {}),
    ...(isWaiting ? {} : { cached, capacity, hits: ((i * 53) % 100) / 100, data: capacity * 2, files: i * 131 }),
    created: now - ((i * 7919) % 5000) * HOUR,
  };
}

function operationsOf(now: number): readonly OperationRow[] {
  const of = (kind: string, name: string, phase: string, rest: Partial<OperationRow> = {}): OperationRow => ({
    namespace: 'team-01',
    name,
    kind,
    datasets: ['team-01/laion-1'],
    phase,
    created: now - HOUR,
    ...rest,
  });
  return [
    of('DataLoad', 'warm-laion', 'Executing', { progress: 0.62, seconds: 1834 }),
    of('DataProcess', 'resize', 'Pending', {
      after: 'DataLoad/team-01/warm-laion',
      message: 'waits for DataLoad team-01/warm-laion, which is Executing',
    }),
    of('DataBackup', 'save', 'Pending', {
      after: 'DataProcess/team-01/resize',
      message: 'waits for DataProcess team-01/resize, which is Pending',
    }),
    of('DataMigrate', 'nightly', 'Complete', {
      schedule: '0 3 * * *',
      lastRun: now - 9 * HOUR,
      seconds: 742,
      datasets: ['team-01/laion-1', 'team-02/wiki-2'],
    }),
    of('DataLoad', 'warm-wiki', 'Failed', { seconds: 12, message: 'the Job ended with code 2: path /images does not exist' }),
    of('DataLoad', 'warm-once', 'Complete', { seconds: 341, created: now - 30 * HOUR }),
  ];
}

export function viewOf(row: DatasetRow, now: number): DatasetView {
  const { namespace, name, trouble } = row;
  const object = `Dataset ${namespace}/${name}`;
  const yaml = `apiVersion: data.fluid.io/v1alpha1\nkind: Dataset\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\nspec:\n  mounts:\n    - mountPoint: s3://training/images\n      name: images\n`;
  return {
    row,
    explanations: [
      {
        object,
        phase: row.phase,
        healthy: row.healthy,
        causes: trouble
          ? [
              {
                reason: trouble.reason,
                message: trouble.message,
                since: now - 200_000,
                toDo: `Read its log: kubectl logs -n ${namespace} ${name}-fuse-x7k2p --previous`,
              },
            ]
          : [],
        details: ['mounts: s3://training/images at /images', 'claim: bound to volume team-laion'],
      },
    ],
    picture: {
      parts: [
        { id: 's', role: 'store', title: 's3://training/images', state: 'well' },
        { id: 'm', role: 'master', title: `${name}-master`, state: 'well', detail: '1 of 1 ready' },
        ...[0, 1, 2].map((i) => ({
          id: `w${i}`,
          role: 'worker' as const,
          title: `${name}-worker-${i}`,
          state: i === 2 && trouble ? ('waiting' as const) : ('well' as const),
          detail: i === 2 && trouble ? 'Pending' : 'Running on node-0' + i,
          ...(i === 2 && trouble
            ? { why: 'not scheduled: 0/12 nodes are available: 12 Insufficient memory, 3 node(s) had untolerated taint' }
            : {}),
        })),
        ...[0, 1].map((i) => ({ id: `n${i}`, role: 'node' as const, title: `node-0${i}`, state: 'well' as const, detail: 'Ready' })),
        {
          id: 'f0',
          role: 'fuse',
          title: `${name}-fuse-x7k2p`,
          state: trouble ? 'failing' : 'well',
          detail: trouble ? 'CrashLoopBackOff' : 'Running',
          ...(trouble ? { why: trouble.message } : {}),
        },
        { id: 'f1', role: 'fuse', title: `${name}-fuse-b81qq`, state: 'well', detail: 'Running' },
        ...Array.from({ length: 12 }, (_, i) => ({
          id: `a${i}`,
          role: 'application' as const,
          title: `train-resnet-${i}`,
          state: i === 0 && trouble ? ('waiting' as const) : ('well' as const),
          detail: 'Running',
        })),
      ],
      links: [
        { from: 's', to: 'm' },
        ...[0, 1, 2].flatMap((i) => [{ from: 's', to: `w${i}` }]),
        ...[0, 1].flatMap((n) => [0, 1].map((w) => ({ from: `w${w}`, to: `n${n}` }))),
        { from: 'n0', to: 'f0' },
        { from: 'n1', to: 'f1' },
        ...Array.from({ length: 12 }, (_, i) => ({ from: `f${i % 2}`, to: `a${i}` })),
      ],
    },
    history: Array.from({ length: 9 }, (_, i) => ({
      at: now - i * 540_000,
      object: i % 3 === 0 ? object : `Pod ${namespace}/${name}-fuse-x7k2p`,
      from: i % 3 === 0 ? ('condition' as const) : ('event' as const),
      severity: i % 2 === 0 && trouble ? ('warning' as const) : ('normal' as const),
      reason: i % 3 === 0 ? 'PodCrashing' : i % 2 === 0 ? 'BackOff' : 'Pulled',
      message:
        i % 2 === 0
          ? 'Back-off restarting failed container juicefs-fuse in pod'
          : 'Container image "juicedata/juicefs-fuse:v1.2.0" already present on machine',
      ...(i % 3 === 0 ? {} : { count: 1 + i * 3 }),
    })),
    samples: Array.from({ length: 120 }, (_, i) => ({
      at: now - (120 - i) * 60_000,
      cached: (row.cached ?? 2 ** 40) * (1 - Math.exp(-i / 40)),
      capacity: row.capacity ?? 2 ** 41,
      hits: Math.min(0.98, 0.3 + i / 170 + Math.sin(i / 5) / 30),
    })),
    manifests: [{ title: object, yaml }],
  };
}

export const nodesOf = (rows: readonly DatasetRow[], count = 12): readonly NodeView[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `node-${String(i).padStart(2, '0')}`,
    ready: i !== 7,
    cordoned: i === 4,
    plugin: i !== 9,
    caches: rows
      .slice(i, i + (i % 6))
      .map(({ namespace, name }) => ({ dataset: `${namespace}/${name}`, pod: `${namespace}/${name}-worker-0`, ready: true })),
    clients: rows
      .slice(i, i + (i % 4))
      .map(({ namespace, name }) => ({ dataset: `${namespace}/${name}`, pod: `${namespace}/${name}-fuse-x7k2p`, ready: i !== 7 })),
  }));
