import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../../kube/types.ts';
import type { ApiServer } from '../index.ts';

/** How a controller in memory reads and writes: at once, and only what differs. */
export interface Hands {
  all(kind: string): readonly KubeObject[];
  get(kind: string, namespace: string | undefined, name: string): KubeObject | undefined;
  /** Whether an object of this UID exists, of any kind. */
  exists(uid: string): boolean;
  create(object: KubeObject): void;
  /** Returns whether anything changed. */
  patch(object: KubeObject, patch: object, subresource?: 'status'): boolean;
  /** Nothing of its grace period is waited for when `now`. */
  delete(object: KubeObject, now?: 'now'): void;
}

export function handsOn(server: ApiServer, manager: string): Hands {
  const at = ({ kind, metadata: { namespace, name } }: KubeObject, subresource?: string) => ({
    type: server.typeOf(kind),
    namespace,
    name,
    ...(subresource && { subresource }),
  });
  const self: Hands = {
    all: (kind) => server.all(kind),
    get: (kind, namespace, name) => server.get(kind, namespace, name),
    exists: (uid) => server.all().some(({ metadata }) => metadata.uid === uid),
    create: (object) => void server.objects.create(server.typeOf(object.kind), object.metadata.namespace, object, { manager }),
    patch(object, patch, subresource) {
      // Most often nothing differs, and to find that out by writing would take a hundred times as long.
      if (isIn(patch, object)) return false;
      const { resourceVersion } = server.objects.get(at(object)).metadata;
      // Controllers here see what there is; what they decide on is never old.
      return server.objects.patch(at(object, subresource), 'merge', patch, { manager }).metadata.resourceVersion !== resourceVersion;
    },
    delete: (object, now) => server.objects.delete(at(object), { uid: object.metadata.uid, ...(now && { gracePeriodSeconds: 0 }) }),
  };
  return self;
}

/** Whether a merge patch would change nothing. */
function isIn(patch: unknown, value: unknown): boolean {
  if (patch === null) return value === undefined;
  if (typeof patch !== 'object') return patch === value;
  if (Array.isArray(patch) || typeof value !== 'object' || value === null) return isDeepStrictEqual(patch, value);
  return Object.entries(patch).every(([key, part]) => part === undefined || isIn(part, (value as Record<string, unknown>)[key]));
}
