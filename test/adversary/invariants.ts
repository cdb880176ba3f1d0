import { annotation, listsNamespace } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { Denied } from '../../src/webhook/denied.ts';
import { mutate } from '../../src/webhook/mutate.ts';
import { plugins } from '../../src/webhook/plugins/index.ts';
import type { Pod } from '../../src/webhook/pod.ts';
import { defaultProfile } from '../../src/webhook/profile/default-profile.ts';
import { parseProfile } from '../../src/webhook/profile/parse.ts';
import { MADE_BY_ATTACKER } from './actions.ts';
import { boundBy, volumeOf } from './plugin.ts';
import { where } from './pool.ts';
import { A, B, CANARY, PRIVATE, V } from './scene.ts';
import type { World } from './world.ts';

/** What must hold of a cluster at rest, whatever the attacker did; each returns what does not, in words. */
export type Invariant = (world: World) => readonly string[];

const profile = parseProfile(defaultProfile, plugins);
const settings = { disabled: false, nativeSidecars: true, prefetcher: { image: 'example.io/sluice', isOurs: true } };

/** `/runtime-mnt/<type>/<namespace>/<name>/…`: whose data that is; undefined for what is not the victim's. */
const victimsIn = (path: string): string | undefined => new RegExp(`^/runtime-mnt/[^/]+/${V}/([^/]+)(/|$)`).exec(path)?.[1];

function isGranted({ server }: World, dataset: string, namespace: string): boolean {
  const found = server.get('Dataset', V, dataset);
  return listsNamespace(found?.metadata.annotations?.[annotation.sharedWith], namespace);
}

/** A bound claim of the attacker leads, in the end, to the victim's data only with a grant that is in force. */
const volumesHaveGrants: Invariant = (world) =>
  claimsIn(world, [A, B]).flatMap((claim) => {
    const { namespace = '', name, deletionTimestamp } = claim.metadata;
    const volume = volumeOf(world.server, namespace, name);
    // A claim that is being deleted serves the pods that have it, and no other. Whoever makes volumes can make one of any directory.
    if (!volume || deletionTimestamp || volume.metadata.annotations?.[MADE_BY_ATTACKER]) return [];
    const dataset = victimsIn(boundBy(volume)?.source ?? '');
    if (dataset === undefined || isGranted(world, dataset, namespace)) return [];
    return [`claim ${namespace}/${name} leads to ${V}/${dataset} without a grant`];
  });

const texts = new WeakMap<KubeObject, string>();
/** An object as text; objects never change. */
function textOf(object: KubeObject): string {
  const known = texts.get(object) ?? (object.kind === 'Secret' ? decoded(object) : JSON.stringify(object));
  texts.set(object, known);
  return known;
}

/** Nothing in the attacker's namespaces says what only the victim, or an administrator, knows. */
const nothingPrivateLeaks: Invariant = ({ server }) =>
  server
    .all()
    .filter(({ metadata: { namespace } }) => namespace === A || namespace === B)
    .flatMap((object) => {
      const text = textOf(object);
      // What is granted shows where its data comes from.
      const leak = text.includes(PRIVATE) && [...text.matchAll(new RegExp(`${PRIVATE}-(\\w+)`, 'g'))].find(([, what]) => what !== 'shared');
      return leak ? [`${where(object)} has the text ${leak[0]}`] : [];
    });
const decoded = (secret: KubeObject): string =>
  Object.values((secret['data'] ?? {}) as Readonly<Record<string, string>>)
    .map((each) => Buffer.from(each, 'base64').toString())
    .join('\n');

const claimsIn = ({ server }: World, namespaces: readonly string[]): readonly KubeObject[] =>
  server.all('PersistentVolumeClaim').filter(({ metadata: { namespace } }) => namespaces.includes(namespace ?? ''));

/** What the webhook makes of a pod that reads a claim and asks for a sidecar; undefined when it is denied. */
function admitted({ webhook }: World, namespace: string, claimName: string): Pod | undefined {
  const pod: Pod = {
    metadata: { name: 'p', labels: { 'serverless.fluid.io/inject': 'true' } },
    spec: {
      containers: [{ name: 'c', image: 'example.io/app', volumeMounts: [{ name: 'd', mountPath: '/d' }] }],
      volumes: [{ name: 'd', persistentVolumeClaim: { claimName } }],
    },
  };
  try {
    return mutate({ pod, namespace }, { known: webhook.known, settings, profile, random: () => '0123456789ab', warn: () => {} });
  } catch (error) {
    if (error instanceof Denied) return undefined;
    throw error;
  }
}

/** No pod of the victim gets a container with a text of the attacker. */
const victimsPodsAreTheirs: Invariant = (world) =>
  claimsIn(world, [V]).flatMap(({ metadata: { name } }) => {
    const pod = JSON.stringify(admitted(world, V, name) ?? '');
    return pod.includes(CANARY) ? [`a pod of ${V} that reads ${name} gets ${around(pod, CANARY)}`] : [];
  });

/** No pod of the attacker gets a directory of the victim without a grant. */
const sidecarsHaveGrants: Invariant = (world) =>
  [A, B].flatMap((namespace) => {
    const own = claimsIn(world, [namespace]).map(({ metadata }) => metadata.name);
    return own.flatMap((claim) => {
      const paths = (admitted(world, namespace, claim)?.spec.volumes ?? []).flatMap(({ hostPath }) => hostPath?.path ?? []);
      const datasets = paths.flatMap((path) => victimsIn(path) ?? []).filter((dataset) => !isGranted(world, dataset, namespace));
      const volume = volumeOf(world.server, namespace, claim);
      const isMade = volume?.metadata.annotations?.[MADE_BY_ATTACKER] !== undefined;
      const isGoing = world.server.get('PersistentVolumeClaim', namespace, claim)?.metadata.deletionTimestamp !== undefined;
      return isMade || isGoing
        ? []
        : datasets.map((dataset) => `a pod of ${namespace} that reads ${claim} gets a directory of ${V}/${dataset}`);
    });
  });

const TEMPLATES = new Set(['DaemonSet', 'StatefulSet', 'Job', 'CronJob', 'Pod', 'Role', 'RoleBinding', 'PersistentVolumeClaim']);
/** Nothing that runs in the victim's namespace has a text of the attacker. */
const victimsTemplatesAreTheirs: Invariant = ({ server }) =>
  server
    .all()
    .filter(({ kind, metadata: { namespace } }) => namespace === V && TEMPLATES.has(kind))
    .flatMap((object) => {
      const text = textOf(object);
      return text.includes(CANARY) ? [`${where(object)} has ${around(text, CANARY)}`] : [];
    });

/** A node has the label of each volume that a pod of the victim has mounted there, for as long as its Dataset is not to go. */
const clientsStayPlaced: Invariant = ({ server, plugin }) =>
  plugin.staged.flatMap(({ node, pod, label }) => {
    const [namespace, name = ''] = pod.split('/');
    const dataset = server.get('Dataset', V, name.replace(/^app-/, '').replace(/^second$/, 'x-data'));
    if (namespace !== V || name === 'app-borrowed' || !dataset || dataset.metadata.deletionTimestamp) return [];
    return label in (server.get('Node', undefined, node)?.metadata.labels ?? {})
      ? []
      : [`${node} has lost ${label}, by which pod ${pod} reads`];
  });

/** Nor does it lose one for a moment: its fuse pod would be evicted. */
export const clientsWereNeverUnplaced: Invariant = ({ server, plugin }) =>
  server.requestsThat({ verb: 'patch', kind: 'Node', manager: 'sluice' }).flatMap(({ name, body, status }) => {
    const { labels = {} } = (body as { metadata: { labels?: Readonly<Record<string, string | null>> } }).metadata;
    const taken = plugin.staged.filter(({ node, label, pod }) => node === name && labels[label] === null && pod.startsWith(`${V}/`));
    const going = ({ pod }: { pod: string }) => {
      const dataset = server.get('Dataset', V, pod.replace(/^ml\/app-/, '').replace(/^ml\/second$/, 'x-data'));
      return !dataset || dataset.metadata.deletionTimestamp !== undefined || pod === 'ml/app-borrowed';
    };
    return status === 200
      ? taken.filter((each) => !going(each)).map(({ label, pod }) => `${name} lost ${label}, by which pod ${pod} reads`)
      : [];
  });

/** Texts that Sluice writes for users to read are short. */
const messagesAreShort: Invariant = ({ server }) =>
  server.all().flatMap((object) => {
    const { conditions } = (object['status'] ?? {}) as { conditions?: readonly { type?: string; message?: string }[] };
    const long = Array.isArray(conditions) ? conditions.find(({ message }) => (message?.length ?? 0) > 20_000) : undefined;
    return long ? [`${where(object)} has a condition ${long.type} of ${long.message?.length} characters`] : [];
  });

function around(text: string, part: string): string {
  const at = text.indexOf(part);
  return `…${text.slice(Math.max(0, at - 80), at + 60)}…`;
}

/** The same answer for as long as no object of these kinds changes. */
function onceFor(kinds: readonly string[], invariant: Invariant): Invariant {
  let last: readonly unknown[] = [];
  let answer: readonly string[] = [];
  return (world) => {
    // The server makes another list when an object changes.
    const lists = kinds.map((kind) => world.server.all(kind));
    if (lists.some((list, i) => list !== last[i])) answer = invariant(world);
    last = lists;
    return answer;
  };
}

export const atRest: readonly Invariant[] = [
  volumesHaveGrants,
  nothingPrivateLeaks,
  onceFor(['Dataset', 'DaemonSet', 'PersistentVolume', 'PersistentVolumeClaim'], victimsPodsAreTheirs),
  onceFor(['Dataset', 'DaemonSet', 'PersistentVolume', 'PersistentVolumeClaim'], sidecarsHaveGrants),
  victimsTemplatesAreTheirs,
  clientsStayPlaced,
  messagesAreShort,
];
