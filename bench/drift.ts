import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../src/kube/types.ts';
import { type Client, MERGE, type WatchEvent } from './client.ts';
import { type Change, changes, fuseLabelGone, fuseLabelled, labelGone } from './drift-changes.ts';
import { atMost, type Bench, type Figure } from './figure.ts';
import { bareWrite, type Lab, phaseOf, say, until, watchBound } from './lab.ts';
import { type Kind, KINDS } from './kinds.ts';
import { pair, paths } from './objects.ts';

const TARGET = 0.3;
const PATIENCE_MS = 30_000;

/** Changes of the cluster, and how soon each is undone or has taken effect. */
export const drift: Bench = {
  name: 'drift',
  async *run({ lab: open }) {
    const lab = await open();
    const controller = await lab.start();
    const namespace = await lab.namespace();
    try {
      await setUp(lab, namespace);
      for (const change of changes(namespace)) yield await measured(lab, namespace, change);
      for (const kind of ['juicefs', 'alluxio'] as const) {
        // The namespace's worker was created again, maybe elsewhere.
        await settled(lab, namespace);
        yield await measured(lab, namespace, labelGone(kind, namespace, await workerNode(lab, kind, namespace)));
      }
      const node = await workerNode(lab, 'juicefs', namespace);
      await lab.user.send('PATCH', `${paths.nodes}/${node}`, { metadata: fuseLabelled(namespace) }, MERGE);
      yield await measured(lab, namespace, fuseLabelGone(namespace, node));
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

async function setUp(lab: Lab, namespace: string): Promise<void> {
  const bound = await watchBound(lab, paths.datasets(namespace));
  for (const kind of KINDS) {
    const { dataset, runtime } = pair(kind, namespace, kind);
    await lab.user.send('POST', paths.datasets(namespace), dataset);
    await lab.user.send('POST', paths.runtimes(kind, namespace), runtime);
  }
  await bound.reached(KINDS.length, 60);
  bound.stop();
}

/** Where the first worker is; it stays there, though it may be made again. */
async function workerNode({ user }: Lab, kind: Kind, namespace: string): Promise<string> {
  const { spec } = await user.send('GET', `${paths.core(namespace, 'pods')}/${kind}-worker-0`);
  return (spec as { nodeName: string }).nodeName;
}

/** All claims are Bound, and what the last change had in its wake is over. */
async function settled({ user }: Lab, namespace: string): Promise<void> {
  const claims = paths.core(namespace, 'persistentvolumeclaims');
  await until(
    'all claims are Bound',
    60,
    async () => (await user.list(claims)).filter((claim) => phaseOf(claim) === 'Bound').length === KINDS.length,
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
