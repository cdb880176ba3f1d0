import type { KubeObject } from '../../src/kube/types.ts';
import * as write from '../support/objects.ts';
import type { Random } from './random.ts';

/** A Dataset with all that it needs, and what its user may change. */
export interface Cast {
  readonly namespace: string;
  readonly name: string;
  /** Kind of the runtime; none for a Dataset that refers to another one. */
  readonly runtime: string | undefined;
  /** What exists before: profiles, classes. */
  readonly given: readonly KubeObject[];
  readonly objects: readonly KubeObject[];
  /** Merge patches of the Dataset or the runtime, valid or not. */
  readonly edits: readonly Edit[];
}
export interface Edit {
  readonly kind: string;
  readonly patch: object;
}

const edit = (kind: string, spec: object): Edit => ({ kind, patch: { spec } });
const annotate = (kind: string, annotations: object): Edit => ({ kind, patch: { metadata: { annotations } } });

/** Of every kind of runtime. */
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

const thinProfile = write.thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' } });

type Making = (namespace: string, name: string, random: Random) => Omit<Cast, 'namespace' | 'name'>;

const thin: Making = (_, name) => ({
  runtime: 'ThinRuntime',
  given: [thinProfile],
  objects: [write.openDataset(name), write.thinRuntime(name, { profileName: 'profile' })],
  edits: [
    ...datasetEdits,
    edit('ThinRuntime', { fuse: { env: [{ name: 'A', value: 'b' }] } }),
    edit('ThinRuntime', { fuse: { nodeSelector: { zone: 'a' } } }),
    edit('ThinRuntime', { profileName: 'nowhere' }),
    edit('ThinRuntime', { profileName: 'profile' }),
    { kind: 'ThinRuntimeProfile', patch: { spec: { fuse: { imageTag: 'v2' } } } },
  ],
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
    edit('JuiceFSRuntime', { worker: { networkMode: 'ContainerNetwork' } }),
    // Invalid: not a quantity.
    edit('JuiceFSRuntime', { tieredstore: { levels: [{ mediumtype: 'SSD', path: '/var/lib/juicefs', quota: 'much', low: '0.1' }] } }),
    edit('JuiceFSRuntime', { tieredstore: { levels: [{ mediumtype: 'SSD', path: '/var/lib/juicefs', quota: '2Gi', low: '0.1' }] } }),
  ],
});

const makings: Readonly<Record<string, Making>> = { thin, juicefs };
export type CastName = string;
export const castNames: readonly CastName[] = Object.keys(makings);

export function castOf(kind: CastName, namespace: string, name: string, random: Random): Cast {
  const making = makings[kind];
  if (!making) throw new Error(`expected one of ${castNames.join(', ')}, found ${kind}`);
  const made = making(namespace, name, random);
  const placed = made.objects.map((object) => ({ ...object, metadata: { namespace, ...object.metadata } }));
  return { ...made, namespace, name, objects: placed };
}
