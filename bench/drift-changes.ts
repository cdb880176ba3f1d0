/** Changes to the cluster and edits, and what shows that it is undone or has taken effect. */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../src/kube/types.ts';
import { type Client, JSON_PATCH, MERGE } from './client.ts';
import { phaseOf } from './lab.ts';
import type { Kind } from './kinds.ts';
import { paths } from './objects.ts';

export interface Change {
  readonly no: number;
  readonly what: string;
  /** The object in which the repair is seen. */
  readonly path: string;
  /** Objects that the change deletes: the clock starts when the last has disappeared, and stops when all are back. */
  readonly gone?: readonly string[];
  /** The object that was edited, if one was. */
  readonly make: (user: Client) => Promise<KubeObject | undefined>;
  /** `before` is the object as it was. */
  readonly isRepaired: (object: KubeObject, before: KubeObject) => boolean;
}

const merge = (path: string, body: object) => (user: Client) => user.send('PATCH', path, body, MERGE);
/** Replaces a field, or, at `-`, adds an item after the last. */
const replace = (path: string, field: string, value: unknown) => (user: Client) =>
  user.send('PATCH', path, [{ op: field.endsWith('/-') ? 'add' : 'replace', path: field, value }], JSON_PATCH);

const deleted = (no: number, what: string, path: string, ...more: readonly string[]): Change => ({
  no,
  what,
  path,
  gone: [path, ...more],
  make: async (user) => {
    for (const each of [path, ...more]) await user.send('DELETE', each, { propagationPolicy: 'Background' });
    return undefined;
  },
  isRepaired: ({ metadata }, before) => metadata.uid !== before.metadata.uid,
});

/** Where the objects of a kind are, whose pair is called like it, and what is done to all kinds alike. */
function changesOf(kind: Kind, namespace: string) {
  const what = (text: string) => `${kind}: ${text}`;
  const core = (plural: string, suffix = '') => `${paths.core(namespace, plural)}/${kind}${suffix}`;
  const infix = kind === 'jindo' ? '-jindofs' : '';
  const apps = (plural: string, suffix: string) => `${paths.apps(namespace, plural)}/${kind}${infix}-${suffix}`;
  const at = {
    runtime: `${paths.runtimes(kind, namespace)}/${kind}`,
    dataset: `${paths.datasets(namespace)}/${kind}`,
    masters: apps('statefulsets', 'master'),
    workers: apps('statefulsets', 'worker'),
    fuse: apps('daemonsets', kind === 'cache' ? 'client' : 'fuse'),
    configMap: (suffix: string) => core('configmaps', `-${suffix}`),
    claim: core('persistentvolumeclaims'),
    volume: `${paths.volumes}/${namespace}-${kind}`,
  };
  return {
    at,
    core,
    deleted: (no: number, text: string, path: string, ...more: readonly string[]) => deleted(no, what(text), path, ...more),
    claimDeleted: (no: number, text: string, ...more: readonly string[]): Change => ({
      ...deleted(no, what(text), at.claim, ...more),
      isRepaired: (object, before) => object.metadata.uid !== before.metadata.uid && phaseOf(object) === 'Bound',
    }),
    edited: (no: number, text: string, path: string, data: Readonly<Record<string, string>>): Change => ({
      no,
      what: what(text),
      path,
      make: merge(path, { data }),
      isRepaired: (object, before) => isDeepStrictEqual(object['data'], before['data']),
    }),
    otherImage: (no: number): Change => ({
      no,
      what: what('other image in the fuse DaemonSet'),
      path: at.fuse,
      make: replace(at.fuse, '/spec/template/spec/containers/0/image', 'example.io/other:v9'),
      isRepaired: (object, before) => imageOf(object) === imageOf(before),
    }),
    newImage: (no: number, imageTag = 'v2'): Change => ({
      no,
      what: what("edit the CR's fuse image"),
      path: at.fuse,
      make: merge(at.runtime, { spec: { fuse: { image: 'example.io/new', imageTag } } }),
      isRepaired: (object) => imageOf(object) === `example.io/new:${imageTag}`,
    }),
    scaledByHand: (no: number): Change => ({
      no,
      what: what('scale the worker StatefulSet by hand'),
      path: at.workers,
      make: merge(at.workers, { spec: { replicas: 3 } }),
      isRepaired: (object) => replicasOf(object) === 1,
    }),
    scaled: (no: number): Change => ({
      no,
      what: what("edit the CR's replicas"),
      path: at.workers,
      make: merge(at.runtime, { spec: { replicas: 2 } }),
      isRepaired: (object) => replicasOf(object) === 2,
    }),
    mountAdded: (no: number, path: string, isRepaired: Change['isRepaired']): Change => ({
      no,
      what: what('add a mount in the Dataset'),
      path,
      make: replace(at.dataset, '/spec/mounts/-', { mountPoint: 's3://second', name: 'second' }),
      isRepaired,
    }),
  };
}

/** 1 to 19 are the changes of BASELINE.md, by its numbers; number 5 concerns an object that only helm needs. */
export function changes(namespace: string): readonly Change[] {
  const of = (kind: Kind) => changesOf(kind, namespace);
  return [
    ...ofThin(of('thin')),
    ...ofJuicefs(of('juicefs'), namespace),
    ...ofAlluxio(of('alluxio')),
    ...ofCache(of('cache'), namespace),
    ...ofJindo(of('jindo')),
  ];
}
type Of = ReturnType<typeof changesOf>;

function ofThin({ at, deleted, edited, claimDeleted, otherImage, newImage, mountAdded }: Of): readonly Change[] {
  const config = at.configMap('fuse-conf');
  return [
    deleted(1, 'delete the fuse DaemonSet', at.fuse),
    otherImage(2),
    deleted(3, 'delete <n>-fuse-conf', config),
    edited(4, 'edit <n>-fuse-conf', config, { 'config.json': '{}' }),
    claimDeleted(6, 'delete the PVC'),
    claimDeleted(7, 'delete PVC and PV', at.volume),
    newImage(8),
    mountAdded(9, config, ({ data }) => JSON.stringify(data).includes('s3://second')),
  ];
}

function ofJuicefs({ at, core, deleted, claimDeleted, otherImage, newImage, scaledByHand, scaled }: Of, namespace: string) {
  const role = `${paths.rbac(namespace, 'roles')}/juicefs-loader`;
  return [
    deleted(10, 'delete the worker StatefulSet', at.workers),
    deleted(11, 'delete the fuse DaemonSet', at.fuse),
    deleted(12, 'delete the fuse script ConfigMap', at.configMap('fuse-script')),
    deleted(13, "delete the loader's ServiceAccount and Role", role, core('serviceaccounts', '-loader')),
    otherImage(14),
    scaledByHand(15),
    newImage(16),
    scaled(17),
    claimDeleted(18, 'delete PVC and PV', at.volume),
  ];
}

function ofAlluxio(of: Of): readonly Change[] {
  const { at, core, deleted, edited, claimDeleted, otherImage, newImage, scaledByHand, scaled, mountAdded } = of;
  const config = at.configMap('config');
  return [
    deleted(20, 'delete the master StatefulSet', at.masters),
    deleted(21, 'delete the worker StatefulSet', at.workers),
    deleted(22, 'delete the fuse DaemonSet', at.fuse),
    deleted(23, 'delete <n>-config', config),
    edited(24, 'edit <n>-config', config, { ALLUXIO_JAVA_OPTS: '-Xmx1m' }),
    deleted(25, "delete the master's Service", core('services', '-master-0')),
    otherImage(26),
    scaledByHand(27),
    newImage(28, '2.9.5'),
    scaled(29),
    {
      no: 30,
      what: "alluxio: edit the CR's properties",
      path: config,
      make: merge(at.runtime, { spec: { properties: { 'alluxio.user.block.size.bytes.default': '32MB' } } }),
      isRepaired: ({ data }) => JSON.stringify(data).includes('alluxio.user.block.size.bytes.default=32MB'),
    },
    mountAdded(31, at.dataset, ({ status }) => (status as { mounts?: readonly object[] }).mounts?.length === 2),
    claimDeleted(32, 'delete PVC and PV', at.volume),
  ];
}

function ofCache({ at, deleted, edited, claimDeleted, otherImage, scaledByHand }: Of, namespace: string): readonly Change[] {
  const config = `${paths.core(namespace, 'configmaps')}/fluid-runtime-config-cache`;
  return [
    deleted(34, 'delete the master StatefulSet', at.masters),
    deleted(35, 'delete the worker StatefulSet', at.workers),
    deleted(36, 'delete the client DaemonSet', at.fuse),
    deleted(37, "delete the master's Service", `${paths.core(namespace, 'services')}/svc-cache-master`),
    deleted(38, 'delete the ConfigMap of runtime.json', config),
    edited(39, 'edit runtime.json', config, { 'runtime.json': '{}' }),
    otherImage(40),
    scaledByHand(41),
    claimDeleted(42, 'delete PVC and PV', at.volume),
  ];
}

function ofJindo({ at, core, deleted, edited, claimDeleted, otherImage, scaledByHand }: Of): readonly Change[] {
  const config = at.configMap('jindofs-config');
  return [
    deleted(43, 'delete the master StatefulSet', at.masters),
    deleted(44, 'delete the worker StatefulSet', at.workers),
    deleted(45, 'delete the fuse DaemonSet', at.fuse),
    deleted(46, 'delete <n>-jindofs-config', config),
    edited(47, 'edit <n>-jindofs-config', config, { 'jindocache.cfg': '' }),
    deleted(48, "delete the master's Service", core('services', '-jindofs-master-0')),
    otherImage(49),
    scaledByHand(50),
    claimDeleted(51, 'delete PVC and PV', at.volume),
  ];
}

export const labelGone = (kind: 'juicefs' | 'alluxio', namespace: string, node: string): Change => {
  const label = `fluid.io/s-${kind}-${namespace}-${kind}`;
  return {
    no: kind === 'juicefs' ? 19 : 33,
    what: `${kind}: remove the schedule label from a worker's node`,
    path: `${paths.nodes}/${node}`,
    make: merge(`${paths.nodes}/${node}`, { metadata: { labels: { [label]: null } } }),
    isRepaired: ({ metadata }) => metadata.labels?.[label] === 'true',
  };
};

/** As the node plugin leaves it: the label of the fuse pods, and its record. */
export const fuseLabelled = (namespace: string): object => ({
  labels: { [`fluid.io/f-${namespace}-thin`]: 'true' },
  annotations: { [`labelled.data.fluid.io/f-${namespace}-thin`]: 'true' },
});
export const fuseLabelGone = (namespace: string, node: string): Change => {
  const label = `fluid.io/f-${namespace}-thin`;
  return {
    no: 52,
    what: 'thin: remove the label of the fuse pods from a node on which the volume is staged',
    path: `${paths.nodes}/${node}`,
    make: merge(`${paths.nodes}/${node}`, { metadata: { labels: { [label]: null } } }),
    isRepaired: ({ metadata }) => metadata.labels?.[label] === 'true',
  };
};

const imageOf = (workload: KubeObject): string | undefined =>
  (workload['spec'] as { template: { spec: { containers: readonly { image: string }[] } } }).template.spec.containers[0]?.image;
const replicasOf = (workload: KubeObject): number | undefined => (workload['spec'] as { replicas?: number }).replicas;
