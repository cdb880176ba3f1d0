import {
  annotation,
  datasetFinalizer,
  GROUP,
  label,
  operationFinalizer,
  operationKinds,
  runtimeFinalizer,
  VERSION,
} from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { Dice } from './dice.ts';
import { A, B, CANARY, INFRA, PRIVATE, V } from './scene.ts';
import { runtimes, type World } from './world.ts';

/** A text, and what it is: that stays the same when UIDs and the like are others. */
export interface Text {
  readonly is: string;
  readonly text: string;
}
/** Words by group: the group is chosen first, so that a large one leaves the others their chance. */
export type Groups<T> = Readonly<Record<string, readonly T[]>>;

const reservedKeys: readonly string[] = [...Object.values(annotation), ...Object.values(label)];
export const reservedFinalizers: readonly string[] = [
  datasetFinalizer,
  ...runtimes.map(({ type }) => runtimeFinalizer(type)),
  ...operationKinds.map(({ kind }) => operationFinalizer(kind)),
];

/** Texts that the attacker reads in the cluster lose the victim's private words: the test looks for those that come from elsewhere. */
const readable = (text: string): string => text.replaceAll(PRIVATE, 'read');
export const read = (object: KubeObject): KubeObject => JSON.parse(readable(JSON.stringify(object))) as KubeObject;

export const where = ({ kind, metadata: { namespace, name } }: KubeObject): string => `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
const isTenants = ({ metadata: { namespace }, kind }: KubeObject): boolean =>
  (namespace !== undefined && [V, A, B].includes(namespace)) || kind === 'PersistentVolume';

/** Objects whose names, UIDs and contents the attacker knows: all of them, also the victim's. */
export const seen = ({ server }: World): readonly KubeObject[] =>
  server.all().filter((object) => isTenants(object) && object.kind !== 'Secret');

interface Named {
  readonly namespace: string;
  readonly name: string;
}
const named = ({ metadata: { namespace = '', name } }: KubeObject): Named => ({ namespace, name });
const datasets = ({ server }: World): readonly Named[] => server.all('Dataset').map(named);
const joined = (world: World): readonly string[] => datasets(world).map(({ namespace, name }) => `${namespace}-${name}`);

/** Names for new objects: those in use, their parts and their continuations, and some of its own. */
export function names(world: World): Groups<string> {
  const called = datasets(world).map(({ name }) => name);
  return {
    own: ['aaa', 'spy', 'zzz'],
    // The parts of a name by which a Dataset of the attacker gets the joined name of another.
    parts: datasets(world).flatMap(({ namespace, name }) =>
      [A, B].flatMap((own) =>
        namespace !== own && `${namespace}-${name}`.startsWith(`${own}-`) ? [`${namespace}-${name}`.slice(own.length + 1)] : [],
      ),
    ),
    datasets: called,
    derived: called.flatMap((each) => [`${each}-fuse`, `${each}-worker`]),
    joined: joined(world),
    known: seen(world).map(({ metadata }) => metadata.name),
  };
}

/** How a mount refers to a Dataset; of the attacker's own, and of others. */
export function references(world: World): Groups<string> {
  const all = datasets(world);
  const to = (from: readonly Named[]) => from.map(({ namespace, name }) => `dataset://${namespace}/${name}`);
  const isOwn = ({ namespace }: Named) => namespace === A || namespace === B;
  return { own: to(all.filter(isOwn)), others: to(all.filter((each) => !isOwn(each))) };
}

/** Names of claims, of any namespace. */
export const claims = ({ server }: World): readonly string[] => [
  ...new Set(server.all('PersistentVolumeClaim').map(({ metadata }) => metadata.name)),
];

export const numbers: readonly string[] = ['0', '-1', '1', '1e60', '2147483648', '9223372036854775808', '1Ei', '100Gi', 'NaN'];

/** Everything that may be written where a text is expected. */
export function texts(world: World): Groups<Text> {
  const plain = (all: readonly string[]): readonly Text[] => all.map((text) => ({ is: text, text }));
  const uids = (of: (object: KubeObject) => boolean) =>
    seen(world)
      .filter((object) => object.kind !== 'Pod' && of(object))
      .map((object) => ({ is: `uid of ${where(object)}`, text: object.metadata.uid ?? '' }));
  return {
    'uids of our API': uids(({ apiVersion }) => apiVersion.startsWith(GROUP)),
    uids: uids(() => true),
    joined: plain(joined(world)),
    names: plain(datasets(world).map(({ name }) => name)),
    keys: plain(datasets(world).map(({ namespace, name }) => `${namespace}/${name}`)),
    references: plain(Object.values(references(world)).flat()),
    namespaces: plain([V, A, B, INFRA, '*', `${V},${A},${B}`]),
    numbers: plain(numbers),
    words: plain(['', 'true', 'now', 'fluid', 'grant', 'open', 'joined', 'uid', 'cron', 'All', 'demo', CANARY]),
    long: [
      { is: 'long text', text: 'x'.repeat(300) },
      { is: 'very long text', text: `${CANARY}/`.repeat(4_000) },
    ],
  };
}

/** Node labels and the like: keys that no one should write, and whoever may label anything can. */
export function keys(world: World): readonly string[] {
  const onNodes = world.server.all('Node').flatMap(({ metadata }) => Object.keys(metadata.labels ?? {}));
  return [...new Set([...reservedKeys, ...onNodes, 'fluid.io/wrapped-by', 'serverless.fluid.io/inject', 'meta.helm.sh/release-name'])];
}

/** Records that somebody wrote under a key, as JSON or not: to be forged by changing a part of one. */
export function records(world: World, key: string): readonly string[] {
  const found = seen(world).flatMap(({ metadata }) =>
    [metadata.annotations?.[key], metadata.labels?.[key]].filter((each) => each !== undefined),
  );
  return [...new Set(found.map(readable))];
}

/** An owner reference to anything. */
export function ownerOf(object: KubeObject, dice: Dice, uid: string | undefined) {
  return {
    apiVersion: dice.is('group', 0.2) ? `${GROUP}/${VERSION}` : object.apiVersion,
    kind: object.kind,
    name: object.metadata.name,
    uid: uid ?? object.metadata.uid ?? '',
    ...(dice.is('controller', 0.6) && { controller: true }),
    ...(dice.is('blocks', 0.3) && { blockOwnerDeletion: true }),
  };
}
