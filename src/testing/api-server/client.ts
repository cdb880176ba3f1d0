import type { KubeClient, ListOptions, Method, Selection, WatchOptions, WriteOptions } from '../../kube/contract.ts';
import { NotLeader } from '../../kube/errors.ts';
import { type KubeList, type KubeObject, type ObjectName, type ResourceType, type Status, type WatchEvent } from '../../kube/types.ts';
import type { Objects } from './objects.ts';
import { type ApiRequest, type RuleBook, type Verb, WRITES } from './rules.ts';
import { errorFrom, expired, notServed, Refusal } from './refusals.ts';
import { answer, selectionOf } from './select.ts';
import { eventOf, type Storage } from './storage.ts';
import type { Writing } from './writing.ts';

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
}

export interface Backend {
  readonly storage: Storage;
  readonly objects: Objects;
  readonly rules: RuleBook;
  readonly watches: Set<{ readonly type: ResourceType; end(error?: Refusal): void; finish(): void; say(event: WatchEvent): void }>;
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
export function memoryClient(backend: Backend, { fieldManager = 'unknown', deadline }: MemoryClientOptions): KubeClient {
  const { storage, objects, rules, now } = backend;
  const closed = new AbortController();

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
    act: (
      at: { type: ResourceType; namespace: string | undefined; name: string; subresource: string | undefined },
      sent: KubeObject,
      writing: Writing,
    ) => KubeObject,
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

  const pages = new Map<string, { readonly rest: readonly KubeObject[]; readonly resourceVersion: string; readonly taken: number }>();
  function page(type: ResourceType, options: ListOptions): KubeList {
    if (!backend.serves(type)) throw notServed();
    const isSelected = selectionOf(type, options);
    const known = options.continue === undefined ? undefined : pages.get(options.continue);
    if (options.continue !== undefined) {
      if (!known || known.taken < storage.compacted)
        throw expired('The provided continue parameter is too old to display a consistent list result.');
    }
    const { rest, resourceVersion, taken } = known ?? {
      rest: storage.all(type).filter(isSelected),
      resourceVersion: String(storage.revision),
      taken: storage.revision,
    };
    const { limit = rest.length } = options;
    const items = rest.slice(0, limit).map((object) => answer(type, object, options.metadataOnly));
    if (rest.length <= limit) return { items, resourceVersion };
    const token = `page-${pages.size + 1}`;
    pages.set(token, { rest: rest.slice(limit), resourceVersion, taken });
    return { items, resourceVersion, continue: token };
  }

  async function* watch(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
    const { signal, metadataOnly } = options;
    if (signal.aborted) return;
    let ended: { readonly error?: Refusal } | undefined;
    let isFinishing = false;
    const said: WatchEvent[] = [];
    const end = (error?: Refusal) => {
      ended ??= { ...(error && { error }) };
      storage.wakeAll(type);
    };
    const entry = {
      type,
      end,
      /** Ends once all events are delivered. */
      finish: () => {
        isFinishing = true;
        storage.wakeAll(type);
      },
      say: (event: WatchEvent) => {
        said.push(event);
        storage.wakeAll(type);
      },
    };
    const onAbort = () => end();
    try {
      const request = reading('watch', type, options);
      const isSelected = await send(request, signal, () => {
        if (!backend.serves(type)) throw notServed();
        return selectionOf(type, options);
      }).catch((error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      });
      if (!isSelected) return;
      backend.watches.add(entry);
      options.onHeard?.();
      signal.addEventListener('abort', onAbort, { once: true });
      closed.signal.addEventListener('abort', onAbort, { once: true });
      const timer = setTimeout(end, options.timeoutSeconds * 1000);
      timer.unref?.();
      try {
        let seen = Number(options.resourceVersion);
        while (!ended) {
          const changes = storage.changes(type, seen);
          for (const change of changes) {
            seen = change.revision;
            const event = eventOf(change, isSelected);
            if (event && !ended) yield { ...event, object: answer(type, event.object, metadataOnly) };
          }
          while (said.length > 0 && !ended) yield said.shift()!;
          if (changes.length === 0 && isFinishing) end();
          if (changes.length === 0 && !ended) await storage.next(type);
        }
      } finally {
        clearTimeout(timer);
      }
      if (ended.error) throw ended.error;
    } catch (error) {
      throw error instanceof Refusal ? errorFrom('WATCH', { type, namespace: options.namespace }, error) : error;
    } finally {
      backend.watches.delete(entry);
      signal.removeEventListener('abort', onAbort);
      closed.signal.removeEventListener('abort', onAbort);
    }
  }

  return {
    get: (type, name, options = {}) =>
      send(reading('get', type, options, name), options.signal, () =>
        answer(type, objects.get({ type, namespace: name.namespace, name: name.name }), options.metadataOnly),
      ),
    list: (type, options = {}) => send(reading('list', type, options), options.signal, () => page(type, options)),
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
    watch,
    version: async () => ({ major: '1', minor: '34', gitVersion: 'v1.34.0' }),
    close: async () => closed.abort(),
  };
}

/** An ERROR event, as a Status. */
export const watchError = ({ code = 500, reason, message = '' }: Status): Refusal => new Refusal(code, reason, message);
