import type { KubeObject } from '../../src/kube/types.ts';
import * as write from '../support/objects.ts';
import type { Random } from './random.ts';

/** A Dataset with all that it needs, and what its user may change. */
export interface Cast {
  readonly namespace: string;
  readonly name: string;
  /** Kind of the runtime; none for a Dataset that refers to another one. */
  readonly runtime: string | undefined;
  /** Objects that exist before: profiles, classes. */
  readonly given: readonly KubeObject[];
  readonly objects: readonly KubeObject[];
  /** Merge patches of the Dataset or the runtime, valid or not. */
  readonly edits: readonly Edit[];
  /** A merge patch of the first of what exists before. */
  readonly companionPatch?: object;
}
export interface Edit {
  readonly kind: string;
  /** Another object than the Dataset's own. */
  readonly at?: { readonly namespace: string; readonly name: string };
  readonly patch: object;
}

const edit = (kind: string, spec: object): Edit => ({ kind, patch: { spec } });
const annotate = (kind: string, annotations: object): Edit => ({ kind, patch: { metadata: { annotations } } });

/** Mounts for every kind of runtime. */
const mountsOf = (...buckets: readonly string[]) => ({ mounts: buckets.map((name) => ({ mountPoint: `s3://${name}`, name })) });
const datasetEdits: readonly Edit[] = [
  edit('Dataset', mountsOf('a', 'b')),
  edit('Dataset', mountsOf('b')),
  edit('Dataset', { mounts: [{ mountPoint: 's3://a', name: 'a', readOnly: true }] }),
  // Invalid: two mounts at one path, and a mount without a source.
  edit('Dataset', {
    mounts: [
      { mountPoint: 's3://a', name: 'a' },
      { mountPoint: 's3://c', name: 'a' },
    ],
  }),
  edit('Dataset', { mounts: [{ name: 'nothing', mountPoint: '' }] }),
  edit('Dataset', { accessModes: ['ReadWriteMany'] }),
  annotate('Dataset', { 'pvc.fluid.io/resources.requests.storage': '7Gi' }),
  { kind: 'Dataset', patch: { metadata: { labels: { team: 'vision' } } } },
];

/** A placement on some nodes only. */
const inZone = { fuse: { nodeSelector: { zone: 'a' } } };

const thinProfile = write.thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' } });

type Making = (namespace: string, name: string, random: Random) => Omit<Cast, 'namespace' | 'name'>;

const thin: Making = (_, name) => ({
  runtime: 'ThinRuntime',
  given: [thinProfile],
  objects: [write.openDataset(name), write.thinRuntime(name, { profileName: 'profile' })],
  edits: [
    ...datasetEdits,
    edit('ThinRuntime', { fuse: { env: [{ name: 'A', value: 'b' }] } }),
    edit('ThinRuntime', inZone),
    edit('ThinRuntime', { profileName: 'nowhere' }),
    edit('ThinRuntime', { profileName: 'profile' }),
  ],
  companionPatch: { spec: { fuse: { imageTag: 'v2' } } },
});

const juicefs: Making = (_, name) => ({
  runtime: 'JuiceFSRuntime',
  given: [],
  objects: [write.jfsSecret(), write.jfsDataset(name), write.jfsRuntime(name)],
  edits: [
    { kind: 'Dataset', patch: { metadata: { labels: { team: 'vision' } } } },
    edit('Dataset', { accessModes: ['ReadOnlyMany'] }),
    edit('JuiceFSRuntime', { replicas: 2 }),
    edit('JuiceFSRuntime', { replicas: 0 }),
    edit('JuiceFSRuntime', { fuse: { options: { 'cache-size': '1024' } } }),
    edit('JuiceFSRuntime', inZone),
    edit('JuiceFSRuntime', { worker: { networkMode: 'ContainerNetwork' } }),
    // Invalid: not a quantity.
    edit('JuiceFSRuntime', { tieredstore: { levels: [{ mediumtype: 'SSD', path: '/var/lib/juicefs', quota: 'much', low: '0.1' }] } }),
    edit('JuiceFSRuntime', { tieredstore: { levels: [{ mediumtype: 'SSD', path: '/var/lib/juicefs', quota: '2Gi', low: '0.1' }] } }),
  ],
});

const onPodNetwork = { networkMode: 'ContainerNetwork' };
const memory = { levels: [{ mediumtype: 'MEM' as const, quota: '64Mi' }] };
const disk = { levels: [{ mediumtype: 'SSD' as const, path: '/cache', quota: '2Gi' }] };

const alluxio: Making = (_, name, random) => ({
  runtime: 'AlluxioRuntime',
  given: [],
  objects: [
    write.openDataset(name),
    write.alluxioRuntime(name, { replicas: random.int(1, 2), tieredstore: disk, master: { replicas: random.pick([1, 3]) } }),
  ],
  edits: [
    ...datasetEdits,
    edit('AlluxioRuntime', { replicas: 0 }),
    edit('AlluxioRuntime', { replicas: 3 }),
    edit('AlluxioRuntime', { worker: onPodNetwork }),
    edit('AlluxioRuntime', { properties: { 'alluxio.user.file.writetype.default': 'MUST_CACHE' } }),
    edit('AlluxioRuntime', { master: { replicas: 2 } }),
    edit('AlluxioRuntime', inZone),
  ],
});

const cache: Making = (_, name) => ({
  runtime: 'CacheRuntime',
  given: [write.plainClass('master', 'worker', 'client')],
  objects: [write.openDataset(name), write.cacheRuntime(name, { runtimeClassName: 'plain', worker: { replicas: 1 } })],
  edits: [
    ...datasetEdits,
    edit('CacheRuntime', { options: { key: 'value' } }),
    edit('CacheRuntime', { worker: { replicas: 2 } }),
    edit('CacheRuntime', { runtimeClassName: 'nowhere' }),
    edit('CacheRuntime', { runtimeClassName: 'plain' }),
  ],
  companionPatch: { topology: { worker: { template: { spec: { containers: [{ name: 'worker', image: 'example.io/worker:2' }] } } } } },
});

const ossMount = (name: string) => ({ mountPoint: `oss://${name}/data`, name, options: { 'fs.oss.endpoint': 'oss.example' } });
const jindo: Making = (_, name) => ({
  runtime: 'JindoRuntime',
  given: [],
  objects: [
    write.datasetObject(name, { mounts: [ossMount('data')] }),
    write.jindoRuntime(name, { replicas: 1, tieredstore: disk, networkmode: 'ContainerNetwork' } as object),
  ],
  edits: [
    edit('Dataset', { mounts: [ossMount('data'), ossMount('more')] }),
    edit('Dataset', { mounts: [ossMount('more')] }),
    edit('Dataset', { mounts: [{ mountPoint: 'nothing', name: 'data' }] }),
    edit('JindoRuntime', { replicas: 2 }),
    edit('JindoRuntime', inZone),
    edit('JindoRuntime', { fuse: { properties: { 'fs.oss.download.thread.concurrency': '200' } } }),
  ],
});

const nas = (path: string) => ({ mountPoint: `nfs://0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/${path}`, name: 'images' });
const efc: Making = (_, name, random) => ({
  runtime: 'EFCRuntime',
  given: [],
  objects: [
    write.datasetObject(name, { mounts: [nas('images')] }),
    write.efcRuntime(name, { replicas: random.int(1, 2), tieredstore: disk }),
  ],
  edits: [
    edit('EFCRuntime', { replicas: 2 }),
    edit('EFCRuntime', { worker: onPodNetwork }),
    edit('EFCRuntime', { fuse: { properties: { g_x: '1' } } }),
    edit('EFCRuntime', inZone),
    edit('Dataset', { mounts: [nas('other')] }),
  ],
});

const vineyard: Making = (_, name) => ({
  runtime: 'VineyardRuntime',
  given: [],
  objects: [write.datasetObject(name, {}), write.vineyardRuntime(name, { replicas: 1, tieredstore: memory })],
  edits: [
    edit('VineyardRuntime', { replicas: 2 }),
    edit('VineyardRuntime', { worker: { options: { 'vineyardd.reserve.memory': 'true' } } }),
    edit('VineyardRuntime', { tieredstore: { levels: [{ mediumtype: 'MEM', quota: '128Mi' }] } }),
  ],
});

/** A Dataset that refers to one of another namespace. Its runtime the controller creates. */
const SOURCE = { namespace: 'default', name: 'source' };
const shared = (to: string) => ({ metadata: { annotations: { 'data.fluid.io/shared-with': to } } });
const reference: Making = (namespace, name, random) => {
  const source = write.openDataset(SOURCE.name, { accessModes: ['ReadWriteMany'] });
  return {
    runtime: undefined,
    given: [thinProfile],
    objects: [
      { ...source, metadata: { ...SOURCE, ...shared(random.pick([namespace, '*', 'elsewhere'])).metadata } },
      { ...write.thinRuntime(SOURCE.name, { profileName: 'profile' }), metadata: SOURCE },
      write.datasetObject(name, {
        mounts: [{ mountPoint: `dataset://${SOURCE.namespace}/${SOURCE.name}/${random.pick(['', 'train'])}`, name: 'r' }],
      }),
    ],
    edits: [
      { kind: 'Dataset', at: SOURCE, patch: shared(namespace) },
      { kind: 'Dataset', at: SOURCE, patch: shared('nobody') },
      { kind: 'Dataset', at: SOURCE, patch: { spec: mountsOf('a') } },
      edit('Dataset', { mounts: [{ mountPoint: `dataset://${SOURCE.namespace}/${SOURCE.name}/other`, name: 'r' }] }),
      edit('Dataset', { mounts: [{ mountPoint: 'dataset://default/nowhere', name: 'r' }] }),
    ],
  };
};

const makings: Readonly<Record<string, Making>> = { thin, juicefs, alluxio, cache, jindo, efc, vineyard, reference };
export const castNames: readonly string[] = Object.keys(makings);

export function castOf(kind: string, namespace: string, name: string, random: Random): Cast {
  const making = makings[kind];
  if (!making) throw new Error(`expected one of ${castNames.join(', ')}, found ${kind}`);
  const made = making(namespace, name, random);
  const placed = made.objects.map((object) => ({ ...object, metadata: { namespace, ...object.metadata } }));
  return { ...made, namespace, name, objects: placed };
}
