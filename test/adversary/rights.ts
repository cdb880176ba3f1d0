import type { KubeObject } from '../../src/kube/types.ts';
import type { Pool } from './pool.ts';
import { A, B } from './scene.ts';
import { bodies } from './specs.ts';
import { where } from './words.ts';

export type Level = 1 | 2 | 3;

/** On volumes that the attacker made. */
export const MADE_BY_ATTACKER = 'example.com/made-by-attacker';
const MANAGER = { manager: 'kubectl' };

/** Writes of the attacker go through `write` and nowhere else: into its own namespaces, and with level 2 to volumes that it made itself. */
export const mayWrite = ({ kind, metadata: { namespace, annotations } }: KubeObject, level: Level): boolean =>
  kind === 'PersistentVolume'
    ? level >= 2 && annotations?.[MADE_BY_ATTACKER] !== undefined
    : (namespace === A || namespace === B) && bodies[kind] !== undefined;

/** Creates or updates; returns what was done, in words. Undefined: it has not the right. */
export function write(pool: Pool, object: KubeObject, level: Level): string | undefined {
  const { server } = pool.world;
  if (!mayWrite(object, level)) return undefined;
  const type = server.typeOf(object.kind);
  const { name, namespace } = object.metadata;
  const before = server.get(object.kind, namespace, name);
  if (before && !mayWrite(before, level)) return undefined;
  pool.touch(object);
  try {
    if (before) server.objects.update({ type, namespace, name }, withoutVersion(object), MANAGER);
    else server.objects.create(type, namespace, withoutVersion(object), MANAGER);
    return `${before ? 'update' : 'create'} ${short(object)}`;
  } catch (error) {
    return `(refused: ${String(error).slice(0, 100)}) ${before ? 'update' : 'create'} ${where(object)}`;
  }
}

export function remove(pool: Pool, object: KubeObject, propagation: 'Orphan' | 'Foreground' | 'Background'): string {
  const { server } = pool.world;
  const { name, namespace } = object.metadata;
  pool.touch(object);
  server.objects.delete({ type: server.typeOf(object.kind), namespace, name }, { propagation });
  return `delete ${where(object)} (${propagation})`;
}

function withoutVersion({ metadata, ...rest }: KubeObject): KubeObject {
  const { resourceVersion: _version, uid: _uid, managedFields: _managers, ...kept } = metadata;
  return { ...rest, metadata: kept } as KubeObject;
}

function short({ metadata, apiVersion, kind, status: _status, ...content }: KubeObject): string {
  const { creationTimestamp: _c, generation: _g, managedFields: _m, resourceVersion: _r, uid: _u, ...kept } = metadata;
  return JSON.stringify({ apiVersion, kind, metadata: kept, ...content }).replaceAll(/"([^"]{200})[^"]*"/g, '"$1…"');
}
