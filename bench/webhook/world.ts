/** The webhook's knowledge: thousands of Datasets as the controller leaves them, on a real API server, without a controller. */
import juicefs from '../../runtimes/juicefs/index.ts';
import { annotation, Dataset, type Manifest, parse, verifiedFuseText } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { type Client, MERGE } from '../client.ts';
import { atOnce, range } from '../lab.ts';
import { pair, paths } from '../objects.ts';

/** A Dataset, its runtime and its claim have one name. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

const PER_NAMESPACE = 100;
const AT_ONCE = 32;

export const placeOf = (i: number): Place => ({
  namespace: `data-${String(Math.floor(i / PER_NAMESPACE)).padStart(3, '0')}`,
  name: `set-${String(i % PER_NAMESPACE).padStart(3, '0')}`,
});

/** The CRDs have to be there. Each Dataset has its runtime, fuse DaemonSet, PersistentVolume and claim, and both have their status. */
export async function createDatasets(user: Client, count: number): Promise<void> {
  await atOnce(AT_ONCE, range(Math.ceil(count / PER_NAMESPACE)), (i) => {
    const name = placeOf(i * PER_NAMESPACE).namespace;
    return user.send('POST', paths.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  });
  await atOnce(AT_ONCE, range(count), (i) => createDataset(user, placeOf(i)));
}

async function createDataset(user: Client, { namespace, name }: Place): Promise<void> {
  const given = pair('juicefs', namespace, name);
  const [datasets, runtimes] = [paths.datasets(namespace), paths.runtimes('juicefs', namespace)];
  const [dataset, runtime] = await Promise.all([user.send('POST', datasets, given.dataset), user.send('POST', runtimes, given.runtime)]);
  const where: Readonly<Record<string, string>> = {
    DaemonSet: paths.apps(namespace, 'daemonsets'),
    PersistentVolume: paths.volumes,
    PersistentVolumeClaim: paths.core(namespace, 'persistentvolumeclaims'),
  };
  const rendered = renderedOf(dataset, runtime).filter(({ kind }) => where[kind] !== undefined);
  const used = { type: 'juicefs', category: 'Accelerate', namespace, name };
  const status = { phase: 'Bound', runtimes: [used], ufsTotal: '1.00GiB', fileNum: '1000', conditions: [condition('Ready')] };
  const terms = [{ matchExpressions: [{ key: `fluid.io/s-${namespace}-${name}`, operator: 'In', values: ['true'] }] }];
  const cacheAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
  const create = (object: Manifest) => user.send('POST', where[object.kind]!, object);
  const fuses = rendered.filter(({ kind }) => kind === 'DaemonSet');
  const [fuse] = await Promise.all(fuses.map(create));
  await Promise.all([
    ...rendered
      .filter((object) => !fuses.includes(object))
      .map((object) => create(object.kind === 'PersistentVolume' ? recorded(object, fuse) : object)),
    user.send('PATCH', `${datasets}/${name}/status`, { status }, MERGE),
    user.send('PATCH', `${runtimes}/${name}/status`, { status: { ...STATUS, cacheAffinity } }, MERGE),
  ]);
}

/** As the controller records its fuse DaemonSet. */
function recorded(volume: Manifest, fuse: KubeObject | undefined): Manifest {
  const { name = '', uid = '', generation = 0, annotations } = fuse?.metadata ?? {};
  const record = {
    [annotation.verifiedFuse]: verifiedFuseText({ name, uid, generation, hash: 'rendered' }),
    [annotation.sidecar]: annotations?.[annotation.sidecar] ?? '',
  };
  return { ...volume, metadata: { ...volume.metadata, annotations: { ...volume.metadata.annotations, ...record } } };
}

const [PHASES, COUNTS] = [
  ['masterPhase', 'workerPhase', 'fusePhase'],
  ['Master', 'Worker', 'Fuse'],
] as const;
/** Status of a runtime with one worker: every field that the schema requires. */
const STATUS: Readonly<Record<string, unknown>> = {
  valueFile: '',
  mountTime: '2026-01-01T00:00:00Z',
  ...Object.fromEntries(PHASES.map((phase) => [phase, 'Ready'])),
  ...Object.fromEntries(
    COUNTS.flatMap((part) =>
      [`desired${part}NumberScheduled`, `current${part}NumberScheduled`, `${part.toLowerCase()}NumberReady`].map((field) => [field, 1]),
    ),
  ),
};
const condition = (type: string) => ({
  type,
  status: 'True',
  reason: 'DatasetReady',
  message: 'The ddc runtime is ready.',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  lastUpdateTime: '2026-01-01T00:00:00Z',
});

const SETTINGS = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} };
const FACTS = { ports: {}, secrets: {}, claims: {}, configMaps: {}, pods: {}, objects: {} };

/** As the controller renders them. */
function renderedOf(dataset: KubeObject, runtime: KubeObject) {
  const { name, namespace = '', uid = '' } = runtime.metadata;
  const bound = juicefs.bind({
    name,
    namespace,
    uid,
    annotations: {},
    spec: parse(juicefs.resource, runtime).spec,
    dataset: {
      identity: { namespace, name, uid: dataset.metadata.uid ?? '', collides: false },
      annotations: {},
      spec: parse(Dataset, dataset).spec,
    },
    settings: SETTINGS,
    facts: FACTS,
  });
  return (['fuse', 'volume', 'claim'] as const).flatMap((part) => bound.synth(part));
}
