/** The kinds that benches set up: what a user writes at least, as in Fluid's baseline, and what each is to reach. One entry joins every bench. */
import type { KubeObject } from '../src/kube/types.ts';
import { CACHE_CLASS, cacheClass, PROFILE, profile, SECRET } from './companions.ts';

export interface BenchKind {
  readonly plural: string;
  readonly runtimeKind: string;
  /** Specs. */
  readonly runtime: object;
  readonly dataset: object;
  /** The object that the runtime names, one for all of its kind. */
  readonly companion?: { readonly plural: string; readonly object: KubeObject };
  /** The controller reads cache figures by commands in pods. */
  readonly isProbed?: boolean;
  readonly targets: {
    readonly synthMs: number;
    /** Target for one alone, s. */
    readonly bound: number;
    readonly claim: number;
    readonly many: Targets;
  };
}
/** Targets for many at once. */
export interface Targets {
  /** Runtimes a second. */
  readonly rate?: number;
  /** Rank correlation of creation and Bound. */
  readonly order?: number;
  /** Each, of everything but watches and the lease; without execs where these have a target of their own. */
  readonly requests?: number;
  readonly execs?: number;
  /** CPU s each: the controller's first thousand costs more. */
  readonly cpu?: (count: number) => number;
  /** Share of a bare client's rate. */
  readonly ofLimit: number;
}

const fromSecret = (name: string, key: string = name) => ({ name, valueFrom: { secretKeyRef: { name: SECRET, key } } });
// Many share one node.
const shared = { accessModes: ['ReadWriteMany'], placement: 'Shared' };
const cachedIn = (path: string) => ({ replicas: 1, tieredstore: { levels: [{ mediumtype: 'SSD', path, quota: '1Gi', low: '0.01' }] } });

const kinds = {
  thin: {
    plural: 'thinruntimes',
    companion: { plural: 'thinruntimeprofiles', object: profile },
    targets: {
      synthMs: 0.4,
      bound: 0.3,
      claim: 0.6,
      many: { rate: 25, order: 0.95, requests: 9, cpu: (count) => (count < 1000 ? 0.01 : 0.006), ofLimit: 0.95 },
    },
    runtimeKind: 'ThinRuntime',
    runtime: { profileName: PROFILE },
    dataset: { mounts: [{ mountPoint: 's3://bucket', name: 'data' }] },
  },
  juicefs: {
    plural: 'juicefsruntimes',
    isProbed: true,
    targets: { synthMs: 0.4, bound: 0.7, claim: 1, many: { rate: 12, requests: 15, ofLimit: 0.9 } },
    runtimeKind: 'JuiceFSRuntime',
    runtime: cachedIn('/var/lib/juicefs'),
    dataset: {
      ...shared,
      mounts: [
        {
          mountPoint: 'juicefs:///',
          name: 'minio',
          options: { bucket: 'http://minio:9000/minio/test', storage: 'minio' },
          encryptOptions: ['metaurl', 'access-key', 'secret-key'].map((key) => fromSecret(key)),
        },
      ],
    },
  },
  alluxio: {
    plural: 'alluxioruntimes',
    isProbed: true,
    targets: { synthMs: 0.6, bound: 1, claim: 1, many: { requests: 18, execs: 8, ofLimit: 0.85 } },
    runtimeKind: 'AlluxioRuntime',
    runtime: cachedIn('/var/lib/alluxio'),
    dataset: {
      ...shared,
      mounts: [
        {
          mountPoint: 's3://bucket',
          name: 'data',
          options: { 'alluxio.underfs.s3.endpoint': 'http://minio:9000', 'alluxio.underfs.s3.disable.dns.buckets': 'true' },
          encryptOptions: [fromSecret('s3a.accessKeyId', 'access-key'), fromSecret('s3a.secretKey', 'secret-key')],
        },
      ],
    },
  },
  jindo: {
    plural: 'jindoruntimes',
    isProbed: true,
    targets: { synthMs: 0.6, bound: 0.8, claim: 1, many: { requests: 18, execs: 8, ofLimit: 0.85 } },
    runtimeKind: 'JindoRuntime',
    runtime: cachedIn('/var/lib/jindo'),
    dataset: {
      ...shared,
      mounts: [
        {
          mountPoint: 'oss://bucket/',
          name: 'data',
          options: { 'fs.oss.endpoint': 'minio:9000' },
          encryptOptions: [fromSecret('fs.oss.accessKeyId', 'access-key'), fromSecret('fs.oss.accessKeySecret', 'secret-key')],
        },
      ],
    },
  },
  cache: {
    plural: 'cacheruntimes',
    companion: { plural: 'cacheruntimeclasses', object: cacheClass },
    isProbed: true,
    targets: { synthMs: 0.6, bound: 0.8, claim: 1, many: { requests: 18, execs: 8, ofLimit: 0.85 } },
    runtimeKind: 'CacheRuntime',
    runtime: { runtimeClassName: CACHE_CLASS, worker: { tieredStore: { levels: [{ emptyDir: { quota: '1Gi' } }] } } },
    dataset: {
      ...shared,
      mounts: [
        {
          mountPoint: 's3://bucket',
          name: 'data',
          encryptOptions: [fromSecret('access', 'access-key'), fromSecret('secret', 'secret-key')],
        },
      ],
    },
  },
  efc: {
    plural: 'efcruntimes',
    targets: { synthMs: 0.6, bound: 0.8, claim: 1, many: { requests: 18, ofLimit: 0.85 } },
    runtimeKind: 'EFCRuntime',
    runtime: { replicas: 1, tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm', quota: '1Gi' }] } },
    dataset: { ...shared, mounts: [{ mountPoint: 'nfs://a-b.cn-hangzhou.nas.aliyuncs.com:/data', name: 'data' }] },
  },
  vineyard: {
    plural: 'vineyardruntimes',
    targets: { synthMs: 0.6, bound: 0.8, claim: 1, many: { requests: 18, ofLimit: 0.85 } },
    runtimeKind: 'VineyardRuntime',
    runtime: { replicas: 1, tieredstore: { levels: [{ mediumtype: 'MEM', quota: '1Gi' }] } },
    dataset: shared,
  },
} satisfies Readonly<Record<string, BenchKind>>;

export type Kind = keyof typeof kinds | 'jindo-ha';
/** One of each kind: what a mix has. */
// The keys are names of kinds.
export const KINDS = Object.keys(kinds) as readonly Kind[];
/** The kinds above, otherwise set up. */
const variants = {
  // Three masters.
  'jindo-ha': {
    ...kinds.jindo,
    runtime: { ...kinds.jindo.runtime, master: { replicas: 3 } },
    targets: { ...kinds.jindo.targets, bound: 1, many: { ...kinds.jindo.targets.many, requests: 21 } },
  },
} satisfies Readonly<Record<string, BenchKind>>;
export const VARIANTS = Object.keys(variants) as readonly Kind[];
export const BENCHED: Readonly<Record<Kind, BenchKind>> = { ...kinds, ...variants };
export const COMPANIONS = KINDS.flatMap((kind) => BENCHED[kind].companion ?? []);

/** Flags with which thousands have host ports. */
export const WIDE_PORTS = ['juicefs', 'alluxio', 'jindo', 'efc', 'vineyard'].flatMap((kind) => [
  '--runtime-node-port-range',
  `${kind}=10000-65535`,
]);

/** The kinds' part of the name of a bench. */
export const suffixOf = ([first, ...others]: readonly Kind[]): string => {
  if (others.length > 0) return '-mixed';
  return first === 'thin' ? '' : `-${first}`;
};
/** Targets of one kind, or of a mix together. */
export const targetsOf = ([first, ...others]: readonly Kind[]): Targets =>
  others.length > 0 || first === undefined ? { ofLimit: 0.9 } : BENCHED[first].targets.many;
