import { GROUP, VERSION } from '../../src/api/index.ts';
import { apiVersionOf, type KubeObject } from '../../src/kube/types.ts';
import type { Dice } from './dice.ts';
import { numbers, ownerOf, type Pool, read, records, reservedFinalizers, seen, where } from './pool.ts';
import { A, B, CANARY, NODES } from './scene.ts';
import { bodies } from './specs.ts';

export type Level = 1 | 2 | 3;

/** What the attacker may do, by its rights; each returns what it did, in words. Undefined: there was nothing to do it to. */
export type Act = (dice: Dice, pool: Pool, level: Level) => string | undefined;

/** Writes of the attacker go through here and nowhere else: into its own namespaces, and with level 2 to volumes that it made itself. */
const mayWrite = ({ kind, metadata: { namespace, annotations } }: KubeObject, level: Level): boolean =>
  kind === 'PersistentVolume'
    ? level >= 2 && annotations?.[MADE_BY_ATTACKER] !== undefined
    : (namespace === A || namespace === B) && bodies[kind] !== undefined;

/** On volumes that the attacker made. */
export const MADE_BY_ATTACKER = 'example.com/made-by-attacker';
const MANAGER = { manager: 'kubectl' };

function write(pool: Pool, object: KubeObject, level: Level): string | undefined {
  const { server } = pool.world;
  if (!mayWrite(object, level)) return undefined;
  const type = server.typeOf(object.kind);
  const { name, namespace } = object.metadata;
  const before = server.get(object.kind, namespace, name);
  if (before && !mayWrite(before, level)) return undefined;
  try {
    if (before) server.objects.update({ type, namespace, name }, withoutVersion(object), MANAGER);
    else server.objects.create(type, namespace, withoutVersion(object), MANAGER);
    return `${before ? 'update' : 'create'} ${short(object)}`;
  } catch (error) {
    return `(refused: ${String(error).slice(0, 100)}) ${before ? 'update' : 'create'} ${where(object)}`;
  }
}

function withoutVersion({ metadata, ...rest }: KubeObject): KubeObject {
  const { resourceVersion: _version, uid: _uid, managedFields: _managers, ...kept } = metadata;
  return { ...rest, metadata: kept } as KubeObject;
}

function short({ metadata, apiVersion, kind, status: _status, ...content }: KubeObject): string {
  const { creationTimestamp: _c, generation: _g, managedFields: _m, resourceVersion: _r, uid: _u, ...kept } = metadata;
  return JSON.stringify({ apiVersion, kind, metadata: kept, ...content }).replaceAll(/"([^"]{200})[^"]*"/g, '"$1…"');
}

const ownKinds = Object.keys(bodies);
const kindFor = (dice: Dice, pool: Pool): string => pool.among(dice, 'kind', ownKinds, 3);
const namespaceFor = (dice: Dice): string => (dice.is('in the second namespace', 0.25) ? B : A);

export const create: Act = (dice, pool, level) => {
  const kind = level >= 2 && dice.is('a volume', 0.15) ? 'PersistentVolume' : kindFor(dice, pool);
  if (kind === 'PersistentVolume') return copyVolume(dice, pool, level);
  const namespace = namespaceFor(dice);
  const name = pool.name(dice);
  const body = bodies[kind]?.(dice.of('body'), pool);
  const made = { apiVersion: apiVersionOf(pool.world.server.typeOf(kind)), kind, metadata: { name, namespace }, ...body } as KubeObject;
  return write(pool, dice.is('plain', 0.5) ? made : forged(dice, pool, made), level);
};

/** An object that exists, here or with another tenant, once more: under another name, in the attacker's namespace, with changes. */
export const copy: Act = (dice, pool, level) => {
  const all = seen(pool.world).filter(({ kind }) => bodies[kind]);
  if (all.length === 0) return undefined;
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  const kind = pool.among(dice, 'kind to copy', kinds, 3);
  const original = dice.pick(
    'original',
    all.filter((each) => each.kind === kind),
    where,
  );
  const { labels, annotations, ownerReferences, finalizers } = original.metadata;
  const metadata = {
    name: dice.is('same name', 0.3) ? original.metadata.name : pool.name(dice),
    namespace: namespaceFor(dice),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(ownerReferences && !dice.is('without owners', 0.2) && { ownerReferences }),
    ...(finalizers && dice.is('with finalizers', 0.5) && { finalizers }),
  };
  const made = read({ ...original, metadata } as KubeObject);
  return write(pool, dice.is('exactly', 0.2) ? made : forged(dice, pool, made), level);
};

const copyVolume: Act = (dice, pool, level) => {
  const all = seen(pool.world).filter(({ kind }) => kind === 'PersistentVolume');
  if (all.length === 0) return undefined;
  const { status: _, ...original } = read(dice.pick('volume', all, where));
  const { labels, annotations } = original.metadata;
  const metadata = { name: pool.name(dice), ...(labels && { labels }), annotations: { ...annotations, [MADE_BY_ATTACKER]: '1' } };
  const { claimRef: __, ...spec } = original['spec'] as Record<string, unknown>;
  const claimRef = { namespace: namespaceFor(dice), name: pool.name(dice.of('claim')) };
  const made = { ...original, metadata, spec: dice.is('for a claim', 0.7) ? { ...spec, claimRef } : spec } as KubeObject;
  return write(pool, forged(dice, pool, made), level);
};

export const edit: Act = (dice, pool, level) => {
  const object = own(dice, pool, level);
  if (!object) return undefined;
  if (!dice.is('new spec', 0.35)) return write(pool, forged(dice, pool, object), level);
  return write(pool, { ...object, ...bodies[object.kind]?.(dice.of('body'), pool) } as KubeObject, level);
};

export const remove: Act = (dice, pool, level) => {
  const object = own(dice, pool, level);
  if (!object) return undefined;
  const { server } = pool.world;
  const { name, namespace } = object.metadata;
  const propagation = dice.is('orphan', 0.35) ? 'Orphan' : dice.is('foreground', 0.15) ? 'Foreground' : 'Background';
  server.objects.delete({ type: server.typeOf(object.kind), namespace, name }, { propagation });
  return `delete ${where(object)} (${propagation})`;
};

/** One of the attacker's objects: most often of its own making, also what the controller made for it. */
function own(dice: Dice, pool: Pool, level: Level): KubeObject | undefined {
  const all = pool.world.server.all().filter((object) => mayWrite(object, level));
  const ours = all.filter(({ apiVersion }) => apiVersion === `${GROUP}/${VERSION}`);
  const from = dice.is('of our API', 0.7) && ours.length > 0 ? ours : all;
  return from.length === 0 ? undefined : pool.among(dice, 'own object', from, 4, where);
}

/** The object with one to three changes. */
function forged(dice: Dice, pool: Pool, object: KubeObject): KubeObject {
  let made = object;
  for (let i = 0; i <= dice.below('changes', 3); i++) made = change(dice.of(`change ${i}`), pool, made);
  return made;
}

function change(dice: Dice, pool: Pool, object: KubeObject): KubeObject {
  const { metadata } = object;
  const withMetadata = (more: object) => ({ ...object, metadata: { ...metadata, ...more } }) as KubeObject;
  const how = dice.roll('what');
  if (how < 0.4) {
    const key = pool.key(dice);
    return withMetadata({ annotations: { ...metadata.annotations, [key]: value(dice, pool, key, metadata.uid) } });
  }
  if (how < 0.58) return withMetadata({ labels: { ...metadata.labels, [pool.key(dice)]: pool.text(dice) } });
  if (how < 0.72) {
    const all = seen(pool.world).filter(({ kind }) => kind !== 'Pod' && kind !== 'Event');
    const ours = all.filter(({ apiVersion }) => apiVersion.startsWith(GROUP));
    const owner = ownerOf(
      pool.among(dice, 'owner', dice.is('owner of our API', 0.6) ? ours : all, 4, where),
      dice,
      dice.is('any uid', 0.3) ? pool.text(dice) : undefined,
    );
    return withMetadata({ ownerReferences: dice.is('one owner more', 0.3) ? [...(metadata.ownerReferences ?? []), owner] : [owner] });
  }
  if (how < 0.82) return withMetadata({ finalizers: dice.some('finalizers', 1 + dice.below('how many', 2), reservedFinalizers) });
  return leafChanged(dice, pool, object);
}

/** A text, or what is on record somewhere under this key with parts of it changed. */
function value(dice: Dice, pool: Pool, key: string, uid: string | undefined): string {
  const known = records(pool.world, key);
  if (known.length === 0 || dice.is('any text', 0.4)) return pool.text(dice);
  const record = dice.pick('record', known);
  try {
    const parsed = JSON.parse(record) as unknown;
    if (typeof parsed !== 'object' || parsed === null) return record;
    const parts = Object.entries(parsed).map(([part, was]) => {
      const roll = dice.roll(`part ${part}`);
      if (roll < 0.35 && uid && typeof was === 'string') return [part, uid];
      if (roll < 0.7) return [part, typeof was === 'number' ? Number(dice.pick('number', numbers)) : pool.text(dice.of(part))];
      return [part, was];
    });
    return JSON.stringify(Object.fromEntries(parts));
  } catch {
    return record;
  }
}

/** One text or number anywhere in the object is another one. */
function leafChanged(dice: Dice, pool: Pool, object: KubeObject): KubeObject {
  const { metadata, apiVersion, kind, status, ...content } = object;
  const paths = leaves(content, '');
  if (paths.length === 0) return object;
  const at = dice.pick('leaf', paths);
  const put = (was: unknown): unknown => {
    if (at.endsWith('/nodeName')) return dice.pick('node', NODES);
    // The workloads of this cluster have all their pods at once.
    if (at.endsWith('/replicas')) return dice.below('replicas', 4);
    if (typeof was === 'number') return Number(dice.pick('number', numbers));
    return dice.is('canary', 0.5) ? CANARY : pool.text(dice);
  };
  return {
    ...(replaced(content, '', at, put) as object),
    apiVersion,
    kind,
    metadata,
    ...(status !== undefined && { status }),
  } as KubeObject;
}
function leaves(value: unknown, path: string): readonly string[] {
  // An API server takes no other operator.
  if (typeof value === 'string' || typeof value === 'number') return path.endsWith('/operator') ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => leaves(each, `${path}/${key}`));
}
function replaced(value: unknown, path: string, at: string, put: (was: unknown) => unknown): unknown {
  if (path === at) return put(value);
  if (typeof value !== 'object' || value === null || !at.startsWith(path)) return value;
  const parts = Object.entries(value).map(([key, each]) => [key, replaced(each, `${path}/${key}`, at, put)] as const);
  return Array.isArray(value) ? parts.map(([, each]) => each) : Object.fromEntries(parts);
}
