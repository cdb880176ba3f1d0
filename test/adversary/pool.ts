import {
  annotation,
  GROUP,
  label,
  operationFinalizer,
  operationKinds,
  runtimeFinalizer,
  VERSION,
  datasetFinalizer,
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

const reservedKeys: readonly string[] = [...Object.values(annotation), ...Object.values(label)];
export const reservedFinalizers: readonly string[] = [
  datasetFinalizer,
  ...runtimes.map(({ type }) => runtimeFinalizer(type)),
  ...operationKinds.map(({ kind }) => operationFinalizer(kind)),
];

/** Whatever the attacker reads in the cluster has lost the victim's private texts: that they come from elsewhere is what is looked for. */
const readable = (text: string): string => text.replaceAll(PRIVATE, 'read');
export const read = (object: KubeObject): KubeObject => JSON.parse(readable(JSON.stringify(object))) as KubeObject;

export const where = ({ kind, metadata: { namespace, name } }: KubeObject): string => `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
const isTenants = ({ metadata: { namespace }, kind }: KubeObject): boolean =>
  (namespace !== undefined && [V, A, B].includes(namespace)) || kind === 'PersistentVolume';

/** Objects whose names, UIDs and contents the attacker knows: all of them, also the victim's. */
export const seen = ({ server }: World): readonly KubeObject[] =>
  server.all().filter((object) => isTenants(object) && object.kind !== 'Secret');

/** Names for new objects: those in use, their parts and their continuations, and some of its own. */
function names(world: World): readonly string[] {
  const known = seen(world).map(({ metadata }) => metadata.name);
  const datasets = world.server.all('Dataset').map(({ metadata }) => metadata.name);
  const joined = world.server.all('Dataset').map(({ metadata: { namespace, name } }) => `${namespace}-${name}`);
  // What a Dataset of the attacker has to be called to have the joined name of another.
  const parts = joined.flatMap((each) => [A, B].flatMap((own) => (each.startsWith(`${own}-`) ? [each.slice(own.length + 1)] : [])));
  return [
    ...new Set(['aaa', 'spy', 'zzz', ...parts, ...parts, ...datasets, ...datasets.map((each) => `${each}-fuse`), ...joined, ...known]),
  ];
}

/** Keys of Datasets, and how a mount refers to them. */
const datasetKeys = (world: World): readonly string[] =>
  world.server.all('Dataset').map(({ metadata: { namespace, name } }) => `${namespace}/${name}`);
const references = (world: World): readonly string[] => datasetKeys(world).map((key) => `dataset://${key}`);

export const numbers: readonly string[] = ['0', '-1', '1', '1e60', '2147483648', '9223372036854775808', '1Ei', '100Gi', 'NaN'];

/** Everything that may be written where a text is expected. */
function texts(world: World): readonly Text[] {
  const plain = (is: string, all: readonly string[]): readonly Text[] => all.map((text) => ({ is: `${is} ${text}`, text }));
  const uids = seen(world)
    .filter(({ kind }) => kind !== 'Pod')
    .map((object) => ({ is: `uid of ${where(object)}`, text: object.metadata.uid ?? '' }));
  const joined = world.server.all('Dataset').map(({ metadata: { namespace, name } }) => `${namespace}-${name}`);
  const datasets = world.server.all('Dataset').map(({ metadata }) => metadata.name);
  return [
    ...uids,
    ...plain('joined name', joined),
    ...plain('name', datasets),
    ...plain('key', datasetKeys(world)),
    ...plain('reference', references(world)),
    ...plain('namespace', [V, A, B, INFRA, '*', `${V},${A},${B}`]),
    ...plain('number', numbers),
    ...plain('word', ['', 'true', 'now', 'fluid', 'grant', 'open', 'joined', 'uid', 'cron', 'All', 'demo', CANARY]),
    { is: 'long text', text: 'x'.repeat(300) },
    { is: 'very long text', text: `${CANARY}/`.repeat(4_000) },
  ];
}

/** Node labels and the like: keys that no one should write, and whoever may label anything can. */
function keys(world: World): readonly string[] {
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

/** What one program chooses from: most often from a few of each, so that its actions come to concern each other. */
export interface Pool {
  readonly world: World;
  name(dice: Dice): string;
  text(dice: Dice): string;
  key(dice: Dice): string;
  reference(dice: Dice): string;
  /** One of these, most often one of a few. */
  among<T>(dice: Dice, what: string, all: readonly T[], count: number, nameOf?: (item: T) => string): T;
}

const FOCUSED = 0.8;

export function createPool(world: World, theme: Dice): Pool {
  function among<T>(dice: Dice, what: string, all: readonly T[], count: number, nameOf: (item: T) => string = String): T {
    const few = dice.is(`a usual ${what}`, FOCUSED) ? theme.some(what, count, all, nameOf) : all;
    return dice.pick(what, few, nameOf);
  }
  return {
    world,
    among,
    name: (dice) => among(dice, 'name', names(world), 4),
    text: (dice) => among(dice, 'text', texts(world), 5, ({ is }) => is).text,
    key: (dice) => among(dice, 'key', keys(world), 4),
    reference: (dice) => among(dice, 'reference', references(world), 3),
  };
}
