import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../src/kube/types.ts';
import { type Client, JSON_PATCH, MERGE, type WatchEvent } from './client.ts';
import { atMost, type Bench, type Figure } from './figure.ts';
import { bareWrite, type Lab, phaseOf, say, until, watchBound } from './lab.ts';
import { pair, paths } from './objects.ts';

const TARGET = 0.3;
const PATIENCE_MS = 30_000;
const THIN = 't';
const JUICEFS = 'j';

/** One of BASELINE.md's changes: what is done to the cluster, and when it is undone or has taken effect. */
interface Change {
  readonly no: number;
  readonly what: string;
  /** The object in which the repair is seen. */
  readonly path: string;
  /** What this deletes: the clock starts when the last has disappeared, and stops when all are back. */
  readonly gone?: readonly string[];
  /** The object that was edited, if one was. */
  readonly make: (user: Client) => Promise<KubeObject | undefined>;
  /** `before` is the object as it was. */
  readonly isRepaired: (object: KubeObject, before: KubeObject) => boolean;
}

/** The changes of BASELINE.md, by its numbers; number 5 concerns an object that only helm needs. */
export const drift: Bench = {
  name: 'drift',
  async *run({ lab: open }) {
    const lab = await open();
    const controller = await lab.start();
    const namespace = await lab.namespace();
    try {
      await setUp(lab, namespace);
      for (const change of changes(namespace)) yield await measured(lab, namespace, change);
      // Its worker was made again, maybe elsewhere.
      await settled(lab, namespace);
      yield await measured(lab, namespace, labelGone(namespace, await workerNode(lab, namespace)));
    } finally {
      await controller.stop();
    }
    await lab.clear(namespace);
  },
};

async function measured(lab: Lab, namespace: string, change: Change): Promise<Figure> {
  say(`drift ${change.no}: ${change.what}`);
  await settled(lab, namespace);
  const bareWriteSeconds = await bareWrite(lab, namespace);
  const seconds = await repairTime(lab, change);
  return atMost(`drift/${change.no}`, seconds, 's until repaired', TARGET, {
    change: change.what,
    bareWriteSeconds,
    ...(seconds === undefined && { waited: PATIENCE_MS / 1000 }),
  });
}

const merge = (path: string, body: object) => (user: Client) => user.send('PATCH', path, body, MERGE);
const replace = (path: string, field: string, value: unknown) => (user: Client) =>
  user.send('PATCH', path, [{ op: 'replace', path: field, value }], JSON_PATCH);

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

function changes(namespace: string): readonly Change[] {
  const configMap = (name: string) => `${paths.core(namespace, 'configmaps')}/${name}`;
  const claim = (name: string) => `${paths.core(namespace, 'persistentvolumeclaims')}/${name}`;
  const volume = (name: string) => `${paths.volumes}/${namespace}-${name}`;
  const daemonSet = (name: string) => `${paths.apps(namespace, 'daemonsets')}/${name}-fuse`;
  const workers = `${paths.apps(namespace, 'statefulsets')}/${JUICEFS}-worker`;
  const runtime = { thin: `${paths.runtimes('thin', namespace)}/${THIN}`, juicefs: `${paths.runtimes('juicefs', namespace)}/${JUICEFS}` };
  const config = configMap(`${THIN}-fuse-conf`);
  const claimDeleted = (no: number, what: string, name: string, ...more: readonly string[]): Change => ({
    ...deleted(no, what, claim(name), ...more),
    isRepaired: (object, before) => object.metadata.uid !== before.metadata.uid && phaseOf(object) === 'Bound',
  });
  const otherImage = (no: number, what: string, name: string): Change => ({
    no,
    what,
    path: daemonSet(name),
    make: replace(daemonSet(name), '/spec/template/spec/containers/0/image', 'example.io/other:v9'),
    isRepaired: (object, before) => imageOf(object) === imageOf(before),
  });
  const newImage = (no: number, what: string, name: string, path: string): Change => ({
    no,
    what,
    path: daemonSet(name),
    make: merge(path, { spec: { fuse: { image: 'example.io/new', imageTag: 'v2' } } }),
    isRepaired: (object) => imageOf(object) === 'example.io/new:v2',
  });

  return [
    deleted(1, 'thin: delete the fuse DaemonSet', daemonSet(THIN)),
    otherImage(2, 'thin: other image in the fuse DaemonSet', THIN),
    deleted(3, 'thin: delete <n>-fuse-conf', config),
    {
      no: 4,
      what: 'thin: edit <n>-fuse-conf',
      path: config,
      make: merge(config, { data: { 'config.json': '{}' } }),
      isRepaired: (object, before) => isDeepStrictEqual(object['data'], before['data']),
    },
    claimDeleted(6, 'thin: delete the PVC', THIN),
    claimDeleted(7, 'thin: delete PVC and PV', THIN, volume(THIN)),
    newImage(8, "thin: edit the CR's fuse image", THIN, runtime.thin),
    {
      no: 9,
      what: 'thin: add a mount in the Dataset',
      path: config,
      make: replace(`${paths.datasets(namespace)}/${THIN}`, '/spec/mounts', [
        { mountPoint: 's3://bucket', name: 'data' },
        { mountPoint: 's3://second', name: 'second' },
      ]),
      isRepaired: ({ data }) => JSON.stringify(data).includes('s3://second'),
    },
    deleted(10, 'juicefs: delete the worker StatefulSet', workers),
    deleted(11, 'juicefs: delete the fuse DaemonSet', daemonSet(JUICEFS)),
    deleted(12, 'juicefs: delete the fuse script ConfigMap', configMap(`${JUICEFS}-fuse-script`)),
    deleted(
      13,
      "juicefs: delete the loader's ServiceAccount and Role",
      `${paths.rbac(namespace, 'roles')}/${JUICEFS}-loader`,
      `${paths.core(namespace, 'serviceaccounts')}/${JUICEFS}-loader`,
    ),
    otherImage(14, 'juicefs: other image in the fuse DaemonSet', JUICEFS),
    {
      no: 15,
      what: 'juicefs: scale the worker StatefulSet by hand',
      path: workers,
      make: merge(workers, { spec: { replicas: 3 } }),
      isRepaired: (object) => replicasOf(object) === 1,
    },
    newImage(16, "juicefs: edit the CR's fuse image", JUICEFS, runtime.juicefs),
    {
      no: 17,
      what: "juicefs: edit the CR's replicas",
      path: workers,
      make: merge(runtime.juicefs, { spec: { replicas: 2 } }),
      isRepaired: (object) => replicasOf(object) === 2,
    },
    claimDeleted(18, 'juicefs: delete PVC and PV', JUICEFS, volume(JUICEFS)),
  ];
}

const scheduleLabel = (namespace: string) => `fluid.io/s-juicefs-${namespace}-${JUICEFS}`;
const labelGone = (namespace: string, node: string): Change => ({
  no: 19,
  what: "juicefs: remove the schedule label from a worker's node",
  path: `${paths.nodes}/${node}`,
  make: (user) => user.send('PATCH', `${paths.nodes}/${node}`, { metadata: { labels: { [scheduleLabel(namespace)]: null } } }, MERGE),
  isRepaired: ({ metadata }) => metadata.labels?.[scheduleLabel(namespace)] === 'true',
});

const imageOf = (workload: KubeObject): string | undefined =>
  (workload['spec'] as { template: { spec: { containers: readonly { image: string }[] } } }).template.spec.containers[0]?.image;
const replicasOf = (workload: KubeObject): number | undefined => (workload['spec'] as { replicas?: number }).replicas;

async function setUp(lab: Lab, namespace: string): Promise<void> {
  const bound = await watchBound(lab, paths.datasets(namespace));
  for (const [kind, name] of [
    ['thin', THIN],
    ['juicefs', JUICEFS],
  ] as const) {
    const { dataset, runtime } = pair(kind, namespace, name);
    await lab.user.send('POST', paths.datasets(namespace), dataset);
    await lab.user.send('POST', paths.runtimes(kind, namespace), runtime);
  }
  await bound.reached(2, 60);
  bound.stop();
}

/** Where the first worker is; it stays there, though it may be made again. */
async function workerNode({ user }: Lab, namespace: string): Promise<string> {
  const { spec } = await user.send('GET', `${paths.core(namespace, 'pods')}/${JUICEFS}-worker-0`);
  return (spec as { nodeName: string }).nodeName;
}

/** Both claims are Bound, and what the last change had in its wake is over. */
async function settled({ user }: Lab, namespace: string): Promise<void> {
  const claims = paths.core(namespace, 'persistentvolumeclaims');
  await until(
    'both claims are Bound',
    60,
    async () => (await user.list(claims)).filter((claim) => phaseOf(claim) === 'Bound').length === 2,
  );
  await sleep(1000);
}

/** Seconds from the change (or from the moment when all that was deleted had disappeared) until it is repaired; undefined when it never is. */
async function repairTime({ user }: Lab, { path, gone = [], make, isRepaired }: Change): Promise<number | undefined> {
  const before = await user.send('GET', path);
  const disappeared = new Map<string, number>();
  const back = new Map<string, number>();
  const seen: WatchEvent[] = [];
  const watched = [...new Set([path, ...gone])].map((each) =>
    watchOne(user, each, (event) => {
      if (event.type === 'DELETED') disappeared.set(each, event.at);
      else if (disappeared.has(each) && !back.has(each)) back.set(each, event.at);
      if (event.type !== 'DELETED' && each === path) seen.push(event);
    }),
  );
  const stops = await Promise.all(watched);
  try {
    const madeAt = performance.now();
    const made = await make(user);
    // The repair may be seen before the answer to the edit is; the edit itself is none.
    const since = Math.max(version(before), made && made.metadata.uid === before.metadata.uid ? version(made) : 0);
    const isOver = () => gone.every((each) => back.has(each)) && repaired() !== undefined;
    const repaired = () => seen.find(({ object }) => version(object) > since && isRepaired(object, before))?.at;
    while (!isOver() && performance.now() - madeAt < PATIENCE_MS) await sleep(20);
    if (!isOver()) return undefined;
    const from = Math.max(madeAt, ...disappeared.values());
    return (Math.max(repaired() ?? madeAt, ...back.values()) - from) / 1000;
  } finally {
    for (const stop of stops) stop();
  }
}

const version = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);

function watchOne(user: Client, path: string, onEvent: (event: WatchEvent) => void): Promise<() => void> {
  const slash = path.lastIndexOf('/');
  return user.watch(`${path.slice(0, slash)}?fieldSelector=metadata.name%3D${path.slice(slash + 1)}`, onEvent);
}
