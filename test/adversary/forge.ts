import { GROUP } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { Dice } from './dice.ts';
import { hijacked, podSpecOf } from './hijack.ts';
import type { Pool } from './pool.ts';
import { CANARY, NODES } from './scene.ts';
import { numbers, ownerOf, records, reservedFinalizers, seen, where } from './words.ts';

/** The object with one to three changes. */
export function forged(dice: Dice, pool: Pool, object: KubeObject): KubeObject {
  let made = object;
  for (let i = 0; i <= dice.below('changes', 3); i++) made = change(dice.of(`change ${i}`), pool, made);
  return made;
}

function change(dice: Dice, pool: Pool, object: KubeObject): KubeObject {
  const { metadata } = object;
  const withMetadata = (more: object) => ({ ...object, metadata: { ...metadata, ...more } }) as KubeObject;
  if (podSpecOf(object) && dice.is('its own program', 0.35)) return hijacked(object);
  const how = dice.roll('what');
  if (how < 0.36) {
    const key = pool.key(dice);
    return withMetadata({ annotations: { ...metadata.annotations, [key]: value(dice, pool, key, metadata.uid) } });
  }
  if (how < 0.52) return withMetadata({ labels: { ...metadata.labels, [pool.key(dice)]: pool.text(dice) } });
  if (how < 0.66) return withMetadata({ ownerReferences: owners(dice, pool, object) });
  if (how < 0.75) return withMetadata({ finalizers: dice.some('finalizers', 1 + dice.below('how many', 2), reservedFinalizers) });
  if (how < 0.83) {
    const { [dice.pick('part', ['labels', 'annotations', 'ownerReferences', 'finalizers'])]: _, ...kept } = { ...metadata };
    return { ...object, metadata: kept } as KubeObject;
  }
  return leafChanged(dice, pool, object);
}

function owners(dice: Dice, pool: Pool, { metadata }: KubeObject) {
  const all = seen(pool.world).filter(({ kind }) => kind !== 'Pod' && kind !== 'Event');
  const ours = all.filter(({ apiVersion }) => apiVersion.startsWith(GROUP));
  const owner = ownerOf(
    pool.among(dice, 'owner', dice.is('owner of our API', 0.6) ? ours : all, 4, where),
    dice,
    dice.is('any uid', 0.3) ? pool.text(dice) : undefined,
  );
  return dice.is('one owner more', 0.3) ? [...(metadata.ownerReferences ?? []), owner] : [owner];
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
