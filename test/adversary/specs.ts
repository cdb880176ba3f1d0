import type { Dice } from './dice.ts';
import type { Pool } from './pool.ts';
import { A, B, CANARY, NODES, V } from './scene.ts';
import { numbers } from './words.ts';

/** The attacker's body of a new object besides its metadata: valid, with a part that its author would not write. */
export type Body = Readonly<Record<string, unknown>>;

/** The kinds that the role `edit` and authors of Datasets may write in a namespace. */
export const bodies: Readonly<Record<string, (dice: Dice, pool: Pool) => Body>> = {
  Dataset: (dice, pool) => ({ spec: datasetSpec(dice, pool) }),
  ThinRuntime: (dice, pool) => ({ spec: thinSpec(dice, pool) }),
  JuiceFSRuntime: (dice) => ({ spec: tiered(dice) }),
  AlluxioRuntime: (dice) => ({ spec: tiered(dice) }),
  JindoRuntime: (dice) => ({ spec: tiered(dice) }),
  VineyardRuntime: (dice) => ({ spec: tiered(dice) }),
  EFCRuntime: (dice) => ({ spec: tiered(dice) }),
  CacheRuntime: (dice) => ({ spec: { runtimeClassName: 'plain', worker: { replicas: dice.below('replicas', 3) } } }),
  DataLoad: (dice, pool) => ({ spec: { dataset: dataset(dice, pool), loadMetadata: true, ...after(dice, pool) } }),
  DataMigrate: (dice, pool) => ({
    spec: { from: { dataset: dataset(dice.of('from'), pool) }, to: { dataset: dataset(dice.of('to'), pool) }, ...after(dice, pool) },
  }),
  DataBackup: (dice, pool) => ({ spec: { dataset: dataset(dice, pool).name, backupPath: `pvc://${name(dice, pool)}/x` } }),
  DataProcess: (dice, pool) => ({
    spec: {
      dataset: { ...dataset(dice, pool), mountPath: '/data' },
      processor: { script: { image: CANARY, imageTag: 'v1', command: ['sh'], source: CANARY } },
      ...after(dice, pool),
    },
  }),
  ConfigMap: (dice, pool) => ({ data: { 'input.json': text(dice, pool), data: CANARY } }),
  Secret: (dice, pool) => ({ stringData: { token: text(dice, pool) } }),
  PersistentVolumeClaim: (dice, pool) => ({
    spec: {
      accessModes: ['ReadWriteMany'],
      resources: { requests: { storage: '1Gi' } },
      ...(dice.is('names a volume', 0.7) && { volumeName: name(dice.of('volume'), pool) }),
    },
  }),
  DaemonSet: (dice, pool) => ({ spec: workload(dice, pool) }),
  StatefulSet: (dice, pool) => ({ spec: { ...workload(dice, pool), replicas: dice.below('replicas', 3), serviceName: 'x' } }),
  Job: (dice, pool) => ({ spec: { template: workload(dice, pool).template } }),
  CronJob: (dice, pool) => ({ spec: { schedule: '* * * * *', jobTemplate: { spec: { template: workload(dice, pool).template } } } }),
  Pod: (dice, pool) => ({ spec: podSpec(dice, pool) }),
  Service: () => ({ spec: { selector: { app: CANARY }, ports: [{ port: 80 }] } }),
  ServiceAccount: () => ({}),
  Event: () => ({ reason: CANARY, message: CANARY, type: 'Warning' }),
  Lease: () => ({ spec: { holderIdentity: CANARY, leaseDurationSeconds: 100_000 } }),
};

export const runtimeKinds: readonly string[] = Object.keys(bodies).filter((kind) => kind.endsWith('Runtime'));
export const operations: readonly string[] = ['DataLoad', 'DataMigrate', 'DataBackup', 'DataProcess'];
export const workloads: readonly string[] = ['Pod', 'DaemonSet', 'StatefulSet', 'Job', 'CronJob'];

const name = (dice: Dice, pool: Pool): string => pool.name(dice);
const text = (dice: Dice, pool: Pool): string => pool.text(dice);

function datasetSpec(dice: Dice, pool: Pool): Body {
  const point = (part: Dice): string => {
    const how = part.roll('kind of mount');
    if (how < 0.45) return pool.reference(part) + (part.is('below', 0.2) ? '/sub/path' : '');
    if (how < 0.58) return `pvc://${part.is('provisioned', 0.4) ? 'provisioned' : pool.name(part)}`;
    if (how < 0.62) return `local:///runtime-mnt/thin/${V}/x-data`;
    if (how < 0.66) return text(part, pool);
    return `s3://${CANARY}`;
  };
  const count = dice.is('many', 0.04) ? 200 : dice.is('two', 0.25) ? 2 : 1;
  const options = count === 200 ? Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`option-${i}`, 'x'.repeat(30)])) : undefined;
  return {
    ...(!dice.is('no mounts', 0.05) && {
      mounts: Array.from({ length: count }, (_, i) => ({ mountPoint: point(dice.of(`mount ${Math.min(i, 3)}`)), name: `m${i}` })),
    }),
    ...(options && { sharedOptions: options }),
    ...(dice.is('shared placement', 0.6) && { placement: 'Shared' }),
    ...(dice.is('modes', 0.3) && { accessModes: ['ReadWriteMany'] }),
  };
}

/** One that refers to no other. */
export const datasetOfItsOwn = (dice: Dice): Body => ({
  mounts: [{ mountPoint: `s3://${CANARY}`, name: 'data' }],
  ...(dice.is('shared placement', 0.6) && { placement: 'Shared' }),
});

function thinSpec(dice: Dice, pool: Pool): Body {
  return {
    profileName: 'profile',
    ...(dice.is('workers', 0.5) && { worker: { enabled: true }, replicas: 1 + dice.below('replicas', 3) }),
    ...(dice.is('tiers', 0.5) && { tieredstore: levels(dice) }),
    ...(dice.is('fuse', 0.3) && { fuse: { image: CANARY, imageTag: 'v1', options: { a: text(dice.of('option'), pool) } } }),
  };
}

const levels = (dice: Dice): Body => ({
  levels: [{ mediumtype: 'MEM', path: '/dev/shm', volumeType: 'emptyDir', quota: dice.pick('quota', ['1Gi', '2Gi', ...numbers]) }],
});
const tiered = (dice: Dice): Body => ({
  replicas: dice.below('replicas', 3),
  ...(dice.is('tiers', 0.7) && { tieredstore: levels(dice) }),
});

const dataset = (dice: Dice, pool: Pool): { readonly name: string; readonly namespace?: string } => ({
  name: pool.among(
    dice,
    'dataset',
    pool.world.server.all('Dataset').map(({ metadata }) => metadata.name),
    2,
  ),
  ...(dice.is('of a namespace', 0.5) && { namespace: dice.pick('namespace', [V, A, B]) }),
});
const after = (dice: Dice, pool: Pool): Body =>
  dice.is('after', 0.3)
    ? { runAfter: { kind: 'DataLoad', name: name(dice.of('after'), pool), namespace: dice.pick('namespace', [V, A]) } }
    : {};

function podSpec(dice: Dice, pool: Pool): Body {
  const claims = [...new Set(Array.from({ length: dice.below('count of claims', 3) }, (_, i) => pool.claim(dice.of(`claim ${i}`))))];
  return {
    containers: [{ name: 'c', image: CANARY, volumeMounts: claims.map((_, i) => ({ name: `v${i}`, mountPath: `/v${i}` })) }],
    volumes: claims.map((claimName, i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName } })),
    ...(dice.is('on a node', 0.7) && { nodeName: dice.pick('node', NODES) }),
    terminationGracePeriodSeconds: 1,
  };
}
const workload = (dice: Dice, pool: Pool) => ({
  selector: { matchLabels: { app: CANARY } },
  template: { metadata: { labels: { app: CANARY } }, spec: podSpec(dice, pool) },
});
