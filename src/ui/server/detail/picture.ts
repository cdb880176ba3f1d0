import { ownerUid } from '../../../api/index.ts';
import { redactedText } from '../../../api/redact.ts';
import type { ExplainInput } from '../../../explain/gather.ts';
import { readiness } from '../../../explain/gather.ts';
import { lacksOf } from '../../../explain/lacking.ts';
import { podsOf, troubleOf } from '../../../explain/pod-lines.ts';
import { conditionsOf } from '../../../explain/conditions.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { UNAVAILABLE } from '../../../planning/attention.ts';
import type { Picture, PicturePart } from '../../wire.ts';
import type { DatasetReading } from './reading.ts';

/** Most parts of each role: with masters and workers, less than 200. */
const MOST = { store: 20, node: 50, fuse: 50, application: 70 } as const;
type Crowd = keyof typeof MOST;

/** How a node is, as far as that is known. */
export type NodeState = (name: string) => 'ready' | 'not ready' | 'unknown';

/** The way of the data: from the stores by masters and workers to the nodes, and there by the fuse pod to the pods that read. */
export function pictureOf(reading: DatasetReading, input: ExplainInput, nodeState: NodeState): Picture {
  const [runtime] = reading.runtimes;
  const lacks = runtime ? lacksOf(runtime, input) : [];
  const own = reading.workloads.filter((each) => ownerUid(each) === runtime?.metadata.uid);
  const fuse = own.find(({ kind }) => kind === 'DaemonSet');
  const fusePods = fuse ? troubledFirst(podsOf(fuse, reading), input) : [];
  const stores = drawn('store', storeParts(reading));
  const caches = own
    .filter(({ kind }) => kind === 'StatefulSet')
    .map((each): PicturePart => {
      const { ready, desired } = readiness(each);
      const lack = lacks.find(({ workload }) => workload === each);
      return {
        id: `${roleOf(each)}/${each.metadata.name}`,
        role: roleOf(each),
        title: each.metadata.name,
        state: ready >= desired ? 'well' : lack?.isLasting ? 'failing' : 'waiting',
        detail: `${ready} of ${desired} ready`,
        ...(lack && { why: lack.why }),
      };
    });
  const clients = drawn(
    'fuse',
    fusePods.map((pod) => podPart('fuse', pod, input)),
  );
  const applications = drawn(
    'application',
    reading.applications.map((pod) => podPart('application', pod, input)),
    reading.moreApplications,
  );
  const shown = new Set([...clients, ...applications].map(({ id }) => id));
  const places = [...fusePods, ...reading.applications].filter((pod) => shown.has(idOf(pod))).flatMap((pod) => nodeOf(pod) ?? []);
  const nodes = drawn(
    'node',
    [...new Set(places)].map((name) => nodePart(name, nodeState(name))),
  );
  const sources = caches.some(({ role }) => role === 'worker') ? caches.filter(({ role }) => role === 'worker') : stores;
  const parts = [...stores, ...caches, ...nodes, ...clients, ...applications];
  const ids = new Set(parts.map(({ id }) => id));
  const clientOn = new Map(fusePods.map((pod) => [nodeOf(pod), idOf(pod)]));
  const links = [
    ...stores.flatMap(({ id }) => caches.map((cache) => ({ from: id, to: cache.id }))),
    ...sources.flatMap(({ id }) => nodes.map((node) => ({ from: id, to: node.id }))),
    ...fusePods.map((pod) => ({ from: `node/${nodeOf(pod) ?? ''}`, to: idOf(pod) })),
    ...reading.applications.map((pod) => ({ from: clientOn.get(nodeOf(pod)) ?? `node/${nodeOf(pod) ?? ''}`, to: idOf(pod) })),
  ];
  return { parts, links: links.filter(({ from, to }) => ids.has(from) && ids.has(to)) };
}

function storeParts({ dataset }: DatasetReading): readonly PicturePart[] {
  const { mounts = [] } = (dataset['spec'] ?? {}) as { mounts?: readonly { readonly mountPoint?: string; readonly name?: string }[] };
  const fails = conditionsOf(dataset).find(({ type, status }) => type === UNAVAILABLE && status === 'True');
  const { phase } = (dataset['status'] ?? {}) as { phase?: string };
  return mounts.map(({ mountPoint = '', name }, i) => ({
    id: `store/${i}`,
    role: 'store',
    title: redactedText(mountPoint),
    state: fails ? 'failing' : phase === 'Bound' ? 'well' : 'unknown',
    ...(name !== undefined && { detail: name }),
    ...(fails?.message !== undefined && { why: redactedText(fails.message) }),
  }));
}

function podPart(role: 'fuse' | 'application', pod: KubeObject, input: ExplainInput): PicturePart {
  const trouble = troubleOf(pod, input);
  const isGoing = pod.metadata.deletionTimestamp !== undefined;
  const fails = trouble && (trouble.isStuck || /BackOff|Error|Failed/.test(trouble.reason));
  return {
    id: idOf(pod),
    role,
    title: pod.metadata.name,
    state: isGoing ? 'waiting' : trouble ? (fails ? 'failing' : 'waiting') : 'well',
    ...(isGoing ? { detail: 'is being deleted' } : trouble ? { detail: trouble.reason, why: trouble.message } : {}),
  };
}

const STATES = { ready: 'well', 'not ready': 'failing', unknown: 'unknown' } as const;
const nodePart = (name: string, state: ReturnType<NodeState>): PicturePart => ({
  id: `node/${name}`,
  role: 'node',
  title: name,
  state: STATES[state],
  ...(state === 'not ready' && { why: 'the node is not ready' }),
});

/** As many as are drawn; the last says how many are not. */
function drawn(role: Crowd, parts: readonly PicturePart[], further = 0): readonly PicturePart[] {
  const most = MOST[role];
  const more = Math.max(0, parts.length - most) + further;
  const kept = parts.slice(0, most);
  return more === 0 ? kept : kept.map((part, i) => (i === kept.length - 1 ? { ...part, more } : part));
}

const troubledFirst = (pods: readonly KubeObject[], input: ExplainInput): readonly KubeObject[] =>
  pods.toSorted(
    (a, b) =>
      Number(troubleOf(a, input) === undefined) - Number(troubleOf(b, input) === undefined) ||
      a.metadata.name.localeCompare(b.metadata.name, 'en', { numeric: true }),
  );
const roleOf = ({ metadata: { name } }: KubeObject): 'master' | 'worker' => (name.endsWith('master') ? 'master' : 'worker');
const idOf = ({ metadata: { name } }: KubeObject): string => `pod/${name}`;
const nodeOf = ({ spec }: KubeObject): string | undefined => (spec as { nodeName?: string } | undefined)?.nodeName;
