import type { KubeClient } from '../kube/contract.ts';
import type { Status } from '../api/index.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '../kube/types.ts';
import { type Backend, type LoggedRequest, memoryClient, type MemoryClientOptions, watchError } from './client.ts';
import { builtInKinds, Namespace } from './kinds.ts';
import { createObjects, type Objects } from './objects.ts';
import { createRules, type Match, matches, type RequestRules } from './rules.ts';
import type { Schemas } from './schema/index.ts';
import type { Changed, HistoryBounds } from './history.ts';
import { createStorage, type Snapshot } from './storage.ts';

export type { LoggedRequest, MemoryClientOptions } from './client.ts';
export { Refusal } from './refusals.ts';
export type { ApiRequest, HeldRequests, Interference, Match, ErrorAnswer, RequestRule, RequestRules, Verb } from './rules.ts';
export { WRITES } from './rules.ts';
export type { Changed, HistoryBounds } from './history.ts';
export type { Snapshot } from './storage.ts';

/** How an API server in memory starts. */
export interface ApiServerOptions {
  /** Custom resources that are installed, with their status subresource. */
  readonly kinds?: readonly ResourceType[];
  /** Schemas of custom resources: what they say of unknown fields, defaults and values is done. Default: none. */
  readonly schemas?: Schemas;
  /** Namespaces that exist. Default: `default`. */
  readonly namespaces?: readonly string[];
  /** The clock: milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** How far back the changes of a kind, and requests, are remembered; older watches get 410 Gone. Default: all are. */
  readonly history?: HistoryBounds;
  /** The objects of another server, which this one begins with. */
  readonly from?: Snapshot;
}

/**
 * An API server in memory, for tests of clients. It follows the rules of a real one for objects, versions, field managers, watches and
 * deletion: test/api-server/suite.ts runs the same cases against both. It has the defaults of Kubernetes' own kinds, and the schemas of
 * custom resources if it is given them. It has no authorization.
 */
export interface ApiServer {
  /** A client. Several clients are several field managers. */
  client(options?: MemoryClientOptions): KubeClient;
  /** Rules for requests of clients: refuse, hold, delay, mutate. */
  readonly rules: RequestRules;
  /** Requests of clients that were answered, in order. */
  readonly requests: readonly LoggedRequest[];
  /** Those of them that match. */
  requestsThat(match: Match): readonly LoggedRequest[];
  /** Empties `requests`. */
  forgetRequests(): void;

  // By hand, past all rules, and at once. Kinds go by name.
  /** Reads an object, past all rules. Undefined if it does not exist. The version tells kinds of one name apart. */
  get(kind: string, namespace: string | undefined, name: string, apiVersion?: string): KubeObject | undefined;
  /** All objects, or those of one kind. */
  all(kind?: string): readonly KubeObject[];
  /** Creates or replaces an object, status included, and its namespace if that does not exist. */
  put(object: KubeObject, manager?: string): KubeObject;
  /** Deletes an object as `kubectl delete` does: finalizers count. Does nothing if it does not exist. */
  delete(kind: string, namespace: string | undefined, name: string): void;
  /** Removes an object at once, even with finalizers. */
  remove(kind: string, namespace: string | undefined, name: string): void;
  /** The server's handling of requests, for tests that need field managers or preconditions. */
  readonly objects: Objects;
  /** The resource type of a kind; where several groups have one of that name, that of the version. Throws if the kind is not installed. */
  typeOf(kind: string, apiVersion?: string): ResourceType;

  // Faults of watches.
  /** Watches of the kind deliver no more events, until `release`. */
  hold(kind: string): void;
  /** Watches of the kind deliver the events that were held. */
  release(kind: string): void;
  /** Ends every watch of a kind, as a server does from time to time; with a Status, by an ERROR event. */
  endWatches(kind: string, error?: Status): void;
  /** Sends a BOOKMARK event to every watch of a kind. */
  bookmark(kind: string): void;
  /** Forgets the history: older watches and lists get 410 Gone. */
  compact(): void;
  /** Up to which revision the changes of a kind are forgotten. */
  forgotten(type: ResourceType): number;

  /** Installs a custom resource. Requests get 404 before. */
  install(type: ResourceType): void;
  /** Removes a custom resource and its objects. */
  uninstall(kind: string, apiVersion?: string): void;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** Calls with each change of any object; returns what ends that. */
  follow(each: (change: Changed) => void): () => void;
  /** Called after each change of any object. */
  onChange: () => void;
  /** All objects as they are now, for `createApiServer({ from })`. */
  snapshot(): Snapshot;
}

/**
 * Starts an API server in memory.
 * @throws Error from its methods, when a kind is not installed.
 * @example
 * const server = createApiServer({ namespaces: ['ml'] });
 * server.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'minio', namespace: 'ml' } } as Parameters<ApiServer['put']>[0]);
 * server.get('Secret', 'ml', 'minio')?.metadata.name;
 */
export function createApiServer({
  kinds = [],
  schemas,
  namespaces = ['default'],
  now = Date.now,
  history,
  from,
}: ApiServerOptions = {}): ApiServer {
  const storage = createStorage(from, history);
  const rules = createRules();
  const served = new Map<string, ResourceType>();
  /** The first kind of each name: a definition may give its kind the name of one of Kubernetes'. */
  const byName = new Map<string, ResourceType>();
  const nameOf = (type: ResourceType) => `${apiVersionOf(type)}/${type.kind}`;
  const serves = (type: ResourceType) => served.has(nameOf(type));
  function install(type: ResourceType): void {
    served.set(nameOf(type), type);
    const named = byName.get(type.kind);
    if (!named || named.group === type.group) byName.set(type.kind, type);
  }
  for (const type of [...builtInKinds, ...kinds]) install(type);
  const objects = createObjects({ storage, now, serves, schemas });
  const requests: LoggedRequest[] = [];
  const watches: Backend['watches'] = new Set();
  const backend: Backend = { storage, objects, rules, watches, now, serves, log };
  function log(request: LoggedRequest): void {
    requests.push(request);
    if (history && requests.length > history.changes) requests.splice(0, history.changes / 2);
  }

  function typeOf(kind: string, apiVersion?: string): ResourceType {
    const type = served.get(`${apiVersion}/${kind}`) ?? byName.get(kind);
    if (!type) throw new Error(`expected a kind that is installed, found ${kind}`);
    return type;
  }
  function ensureNamespace(name: string): void {
    if (storage.get(Namespace, undefined, name)) return;
    objects.create(Namespace, undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { manager: 'test' });
  }
  for (const name of namespaces) ensureNamespace(name);

  const self: ApiServer = {
    client: (options = {}) => memoryClient(backend, options),
    rules,
    requests,
    requestsThat: (match) => requests.filter((request) => matches(match, request)),
    forgetRequests: () => void requests.splice(0),

    now,
    objects,
    typeOf,
    get: (kind, namespace, name, apiVersion) => storage.get(typeOf(kind, apiVersion), namespace, name),
    all: (kind) => (kind === undefined ? storage.everything() : storage.all(typeOf(kind))),
    put(object, manager = 'test') {
      const type = typeOf(object.kind);
      const { name, namespace = type.namespaced ? 'default' : undefined } = object.metadata;
      if (type.namespaced && namespace !== undefined) ensureNamespace(namespace);
      const at = { type, namespace, name };
      const { resourceVersion: _, uid: __, namespace: ___, ...metadata } = object.metadata;
      const sent = { ...object, apiVersion: apiVersionOf(type), metadata: { ...metadata, ...(namespace && { namespace }) } } as KubeObject;
      const there = storage.get(type, namespace, name);
      const made = there ? objects.update(at, sent, { manager }) : objects.create(type, namespace, sent, { manager });
      const { creationTimestamp = made.metadata.creationTimestamp } = object.metadata;
      if (creationTimestamp !== made.metadata.creationTimestamp)
        storage.put(type, { ...made, metadata: { ...made.metadata, creationTimestamp } } as KubeObject);
      if (sent['status'] === undefined || !storage.get(type, namespace, name)) return made;
      return objects.update({ ...at, subresource: 'status' }, { ...made, status: sent['status'] } as KubeObject, { manager });
    },
    delete(kind, namespace, name) {
      const type = typeOf(kind);
      if (storage.get(type, namespace, name)) objects.delete({ type, namespace, name }, {});
    },

    remove(kind, namespace, name) {
      const object = storage.get(typeOf(kind), namespace, name);
      if (object) storage.remove(typeOf(kind), object);
    },

    hold: (kind) => storage.hold(typeOf(kind)),
    release: (kind) => storage.release(typeOf(kind)),
    endWatches(kind, error) {
      const { plural } = typeOf(kind);
      for (const watch of watches) if (watch.type.plural === plural) watch.end(error && watchError(error));
    },
    bookmark(kind) {
      const type = typeOf(kind);
      const object: KubeObject = {
        apiVersion: apiVersionOf(type),
        kind,
        metadata: { resourceVersion: String(storage.revision) } as KubeObject['metadata'],
      };
      for (const watch of watches) if (watch.type.plural === type.plural) watch.say({ type: 'BOOKMARK', object });
    },
    compact: () => storage.compact(),
    forgotten: storage.forgotten,

    install,
    uninstall(kind, apiVersion) {
      const type = typeOf(kind, apiVersion);
      served.delete(nameOf(type));
      if (byName.get(kind) === type) byName.delete(kind);
      const others = [...served.values()].filter((each) => each.kind === kind);
      for (const other of others) install(other);
      // Objects are those of all versions.
      if (others.some(({ group }) => group === type.group)) return;
      for (const object of storage.all(type)) storage.remove(type, object);
      for (const watch of watches) if (watch.type.group === type.group && watch.type.plural === type.plural) watch.finish();
    },
    snapshot: storage.snapshot,
    follow: storage.follow,
    get onChange() {
      return storage.onChange;
    },
    set onChange(call) {
      storage.onChange = call;
    },
  };
  return self;
}
