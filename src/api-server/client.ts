import type { KubeClient, Method, Selection, WriteOptions } from '../kube/contract.ts';
import { NotLeader } from '../kube/errors.ts';
import type { Status } from '../api/index.ts';
import type { KubeObject, ObjectName, ResourceType } from '../kube/types.ts';
import type { Objects } from './objects.ts';
import { createPages } from './pages.ts';
import { errorFrom, notServed, Refusal } from './refusals.ts';
import { type ApiRequest, type RuleBook, type Verb, WRITES } from './rules.ts';
import { answer, selectionOf } from './select.ts';
import type { Storage } from './storage.ts';
import { type OpenWatch, watch } from './watches.ts';
import type { At, Writing } from './writing.ts';

/** A request and its answer. */
export interface LoggedRequest extends ApiRequest {
  /** HTTP status. 0 while the request waits, and if its answer was lost. */
  readonly status: number;
}

/** A client of the API server in memory. */
export interface MemoryClientOptions {
  /** Owner of the fields that the client applies. Default: `unknown`. */
  readonly fieldManager?: string;
  /** Moment after which no write is sent, in milliseconds since the epoch. */
  readonly deadline?: () => number;
  /** The caller changes nothing that it gets, so lists and events need no copies. */
  readonly readsOnly?: boolean;
}

export interface Backend {
  readonly storage: Storage;
  readonly objects: Objects;
  readonly rules: RuleBook;
  readonly watches: Set<OpenWatch>;
  readonly now: () => number;
  serves(type: ResourceType): boolean;
  log(request: LoggedRequest): void;
}

const METHODS: Readonly<Record<Verb, Method | 'WATCH'>> = {
  get: 'GET',
  list: 'GET',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  apply: 'PATCH',
  delete: 'DELETE',
};

/** A client of the API server in memory: each request takes a turn of the event loop's microtasks, and no time. */
export function memoryClient(backend: Backend, { fieldManager = 'unknown', deadline, readsOnly = false }: MemoryClientOptions): KubeClient {
  const { storage, objects, rules, watches, now } = backend;
  const closed = new AbortController();
  const page = createPages(storage, readsOnly);

  /** Takes a request past the rules to the server. */
  async function send<T>(request: ApiRequest, signal: AbortSignal | undefined, act: (writing: Writing) => T): Promise<T> {
    await Promise.resolve();
    signal?.throwIfAborted();
    const method = METHODS[request.verb];
    if (deadline && WRITES.includes(request.verb) && now() >= deadline()) throw new NotLeader({ method, path: request.type.plural });
    const met = rules.meeting(request);
    let status = 0;
    try {
      for (const { before } of met) await before?.(request);
      signal?.throwIfAborted();
      const { dryRun, fieldValidation, force } = request.options as WriteOptions & { force?: boolean };
      const webhooks = met.flatMap(({ mutate }) => mutate ?? []);
      const mutate =
        webhooks.length > 0
          ? (object: KubeObject) => webhooks.reduce((made, change) => change(structuredClone(made), request), object)
          : undefined;
      const result = act({ manager: request.manager, dryRun, fieldValidation, force, mutate });
      status = request.verb === 'create' ? 201 : 200;
      for (const { after } of met) await after?.(request);
      return result;
    } catch (error) {
      status = error instanceof Refusal ? error.status : 0;
      throw error instanceof Refusal ? errorFrom(method, request, error) : error;
    } finally {
      backend.log({ ...request, status });
    }
  }

  function write(
    verb: Verb,
    type: ResourceType,
    { namespace, name }: ObjectName,
    body: unknown,
    options: WriteOptions,
    act: (at: At, sent: KubeObject, writing: Writing) => KubeObject,
  ): Promise<KubeObject> {
    if (type.namespaced && namespace === undefined) throw new TypeError(`${type.kind} ${name} needs a namespace`);
    // A request is JSON: later changes of the caller's object have no effect on it.
    const sent = JSON.parse(JSON.stringify(body)) as KubeObject;
    const { signal, subresource, fieldManager: manager = fieldManager } = options;
    const at = { type, namespace: type.namespaced ? namespace : undefined, name, subresource };
    const request: ApiRequest = { verb, kind: type.kind, manager, body: sent, options: { ...options }, ...at };
    return send(request, signal, (writing) => answer(type, act(at, sent, writing), false));
  }
  const reading = (verb: Verb, type: ResourceType, options: object, name?: ObjectName): ApiRequest => ({
    verb,
    kind: type.kind,
    type,
    namespace: type.namespaced ? (name?.namespace ?? (options as Selection).namespace) : undefined,
    name: name?.name,
    manager: fieldManager,
    options: { ...options },
  });

  return {
    get: (type, name, options = {}) =>
      send(reading('get', type, options, name), options.signal, () =>
        answer(type, objects.get({ type, namespace: name.namespace, name: name.name }), options.metadataOnly),
      ),
    list: (type, options = {}) =>
      send(reading('list', type, options), options.signal, () => {
        if (!backend.serves(type)) throw notServed();
        return page(type, options);
      }),
    create: (type, object, options = {}) =>
      write('create', type, object.metadata, object, options, (at, sent, writing) => objects.create(type, at.namespace, sent, writing)),
    apply: (type, object, options = {}) => write('apply', type, object.metadata, object, options, objects.apply),
    update: (type, object, options = {}) => write('update', type, object.metadata, object, options, objects.update),
    patch: (type, name, patch, options) =>
      write('patch', type, name, patch, options, (at, sent, writing) => objects.patch(at, options.type, sent, writing)),
    delete: (type, name, options = {}) =>
      send({ ...reading('delete', type, options, name), options: { ...options } }, options.signal, () =>
        objects.delete({ type, namespace: name.namespace, name: name.name }, options),
      ),
    raw: (method, path) => Promise.reject(new TypeError(`${method} ${path}: the API server in memory answers only requests about objects`)),
    watch: (type, options) =>
      watch({ storage, watches, closed: closed.signal, readsOnly }, type, options, () =>
        send(reading('watch', type, options), options.signal, () => {
          if (!backend.serves(type)) throw notServed();
          return selectionOf(type, options);
        }),
      ),
    version: async () => ({ major: '1', minor: '34', gitVersion: 'v1.34.0' }),
    close: async () => closed.abort(),
  };
}

/** An ERROR event, as a Status. */
export const watchError = ({ code = 500, reason, message = '' }: Status): Refusal => new Refusal(code, reason, message);
