import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '../../kube/clock.ts';
import type { OwnerReference } from '../../api/index.ts';
import { apiVersionOf, type KubeObject } from '../../kube/types.ts';
import type { ApiServer } from '../index.ts';
import { Refusal } from '../refusals.ts';
import { type Indexes, indexesOf } from './indexes.ts';
import { isOutOfReach, ownerBy } from './owners.ts';

/** How a controller in memory reads and writes: at once, as the field manager of its name, and only what differs. */
export interface ControllerClient {
  all(kind: string): readonly KubeObject[];
  get(kind: string, namespace: string | undefined, name: string): KubeObject | undefined;
  /** After how many ms to look again at an object that waits for something whose change does not concern it: the older, the later. */
  againMs(object: KubeObject): number;
  /** The time in the format of objects. */
  now(): string;
  /** Objects by what they refer to. */
  readonly indexes: Indexes;
  /** Those of a kind that an object owns: in its namespace, by its UID. */
  ownedBy(kind: string, owner: KubeObject): readonly KubeObject[];
  /** Whether an owner that an object names exists, or is none that it can have. */
  hasOwner(object: KubeObject, reference: OwnerReference): boolean;
  create(object: KubeObject): void;
  /** Creates an object of `owner`. False if the server refuses it, of which an event of the owner says why, or if its name is taken. */
  createFor(owner: KubeObject, object: KubeObject): boolean;
  /** Returns whether anything changed. */
  patch(object: KubeObject, patch: object, subresource?: 'status'): boolean;
  /** With `now`, without a grace period. */
  delete(object: KubeObject, now?: 'now'): void;
}

export function controllerClient(server: ApiServer, manager: string): ControllerClient {
  const at = ({ kind, apiVersion, metadata: { namespace, name } }: KubeObject, subresource?: string) => ({
    type: server.typeOf(kind, apiVersion),
    namespace,
    name,
    ...(subresource && { subresource }),
  });
  const indexes = indexesOf(server);
  const self: ControllerClient = {
    indexes,
    ownedBy(kind, { metadata: { uid = '', namespace } }) {
      const apiVersion = apiVersionOf(server.typeOf(kind));
      return indexes.dependents
        .of(uid)
        .filter((each) => each.kind === kind && each.apiVersion === apiVersion && each.metadata.namespace === namespace);
    },
    hasOwner: (object, reference) => isOutOfReach(server, object, reference) || ownerBy(server, object, reference) !== undefined,
    againMs({ metadata: { creationTimestamp = '' } }) {
      const age = server.now() - Date.parse(String(creationTimestamp));
      return Math.min(5_000, Math.max(200, age / 8 || 0));
    },
    all: (kind) => server.all(kind),
    get: (kind, namespace, name) => server.get(kind, namespace, name),
    now: () => timestamp(server.now()),
    create: (object) => void server.objects.create(server.typeOf(object.kind), object.metadata.namespace, object, { manager }),
    createFor(owner, object) {
      try {
        self.create(object);
        return true;
      } catch (error) {
        if (!(error instanceof Refusal) || (error.status !== 403 && error.status !== 409)) throw error;
        if (error.status === 403) reportRefusal(server, owner, object, error.message);
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

/** As the controllers of Kubernetes: one event for each owner and text. In a namespace that is being deleted there is none. */
function reportRefusal(server: ApiServer, owner: KubeObject, refused: KubeObject, why: string): void {
  const { apiVersion, kind, metadata } = owner;
  const { namespace = '', name, uid = '' } = metadata;
  const message =
    kind === 'StatefulSet'
      ? `create ${refused.kind} ${refused.metadata.name} in StatefulSet ${name} failed error: ${why}`
      : `Error creating: ${why}`;
  const isKnown = indexesOf(server)
    .refusalsByObject.of(uid)
    .some((each) => each['message'] === message);
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
