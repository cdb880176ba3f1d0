import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '../../kube/clock.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { ApiServer } from '../index.ts';
import { Refusal } from '../refusals.ts';

/** How a controller in memory reads and writes: at once, as the field manager of its name, and only what differs. */
export interface ControllerClient {
  all(kind: string): readonly KubeObject[];
  get(kind: string, namespace: string | undefined, name: string): KubeObject | undefined;
  /** The time, as objects have it. */
  now(): string;
  /** Whether an object of this UID exists, of any kind. */
  exists(uid: string): boolean;
  create(object: KubeObject): void;
  /** Creates a pod or a claim of `owner`. False if the server refuses it; an event of the owner says why. */
  createFor(owner: KubeObject, object: KubeObject): boolean;
  /** Returns whether anything changed. */
  patch(object: KubeObject, patch: object, subresource?: 'status'): boolean;
  /** Nothing of its grace period is waited for when `now`. */
  delete(object: KubeObject, now?: 'now'): void;
}

export function controllerClient(server: ApiServer, manager: string): ControllerClient {
  const at = ({ kind, apiVersion, metadata: { namespace, name } }: KubeObject, subresource?: string) => ({
    type: server.typeOf(kind, apiVersion),
    namespace,
    name,
    ...(subresource && { subresource }),
  });
  const self: ControllerClient = {
    all: (kind) => server.all(kind),
    get: (kind, namespace, name) => server.get(kind, namespace, name),
    now: () => timestamp(server.now()),
    exists: (uid) => server.all().some(({ metadata }) => metadata.uid === uid),
    create: (object) => void server.objects.create(server.typeOf(object.kind), object.metadata.namespace, object, { manager }),
    createFor(owner, object) {
      try {
        self.create(object);
        return true;
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 403) throw error;
        reportRefusal(server, owner, object, error.message);
        return false;
      }
    },
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

/** A list stays the same one until one of its objects changes. */
const byOwner = new WeakMap<readonly KubeObject[], ReadonlyMap<string, readonly KubeObject[]>>();

/** Those of a list that an object owns: in its namespace, by its UID. */
export function ownedBy(objects: readonly KubeObject[], { metadata: { uid = '', namespace } }: KubeObject): readonly KubeObject[] {
  let owned = byOwner.get(objects);
  if (!owned) {
    const all = new Map<string, KubeObject[]>();
    for (const object of objects)
      for (const owner of new Set((object.metadata.ownerReferences ?? []).map((each) => each.uid))) {
        const known = all.get(owner);
        if (known) known.push(object);
        else all.set(owner, [object]);
      }
    owned = all;
    byOwner.set(objects, owned);
  }
  return (owned.get(uid) ?? []).filter((each) => each.metadata.namespace === namespace);
}

/** As the controllers of Kubernetes: one event for each owner and text. In a namespace that is going there is none. */
function reportRefusal(server: ApiServer, owner: KubeObject, refused: KubeObject, why: string): void {
  const { apiVersion, kind, metadata } = owner;
  const { namespace = '', name, uid = '' } = metadata;
  const message =
    kind === 'StatefulSet'
      ? `create ${refused.kind} ${refused.metadata.name} in StatefulSet ${name} failed error: ${why}`
      : `Error creating: ${why}`;
  const isKnown = server
    .all('Event')
    .some((each) => each['message'] === message && (each['involvedObject'] as { uid?: string }).uid === uid);
  if (isKnown || server.get('Namespace', undefined, namespace)?.metadata.deletionTimestamp) return;
  const event: KubeObject = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { generateName: `${name}.`, namespace } as unknown as KubeObject['metadata'],
    involvedObject: { apiVersion, kind, namespace, name, uid },
    type: 'Warning',
    reason: 'FailedCreate',
    message,
    lastTimestamp: timestamp(server.now()),
  };
  server.objects.create(server.typeOf('Event'), namespace, event, { manager: 'kube-controller-manager' });
}

/** Whether a merge patch would change nothing. */
function isIn(patch: unknown, value: unknown): boolean {
  if (patch === null) return value === undefined;
  if (typeof patch !== 'object') return patch === value;
  if (Array.isArray(patch) || typeof value !== 'object' || value === null) return isDeepStrictEqual(patch, value);
  return Object.entries(patch).every(([key, part]) => part === undefined || isIn(part, (value as Record<string, unknown>)[key]));
}
