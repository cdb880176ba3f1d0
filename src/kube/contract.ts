import type { Clock } from './clock.ts';
import type { KubeList, KubeObject, ObjectName, ResourceType, WatchEvent } from './types.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ClientOptions {
  /** Owner of the fields that we write. */
  readonly fieldManager: string;
  readonly userAgent?: string;
  /** Requests at a time; watches do not count. Default 21, 16 of them of one namespace. */
  readonly maxConnections?: number;
  /** For one try of one request, waiting for a free connection not included. Default 15,000. */
  readonly timeoutMs?: number;
  /** Called for each request when it has ended, with the time of its retries, and for each watch when it has begun. */
  readonly onRequest?: (request: RequestInfo) => void;
  /**
   * ms since the epoch after which no write may be sent (the lease's fence); also cuts each write's timeout to what is
   * left. A client with a deadline cannot renew the lease that the deadline comes from: give `elect` one without.
   */
  readonly deadline?: () => number;
  readonly clock?: Clock;
}

export interface RequestInfo {
  readonly method: Method | 'WATCH';
  /** Plural, with the subresource: `pods`, `datasets/status`. */
  readonly resource: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly durationMs: number;
  readonly retries: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Instead of the client's. */
  readonly timeoutMs?: number | undefined;
  /** How often to try again where that is harmless. Default 5. */
  readonly retries?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
  /** Instead of the client's. */
  readonly fieldManager?: string | undefined;
  readonly subresource?: string | undefined;
}

export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Only metadata comes over the wire. `kind` and `apiVersion` are the type's own all the same. */
  readonly metadataOnly?: boolean | undefined;
}

export interface ListOptions extends Selection, CallOptions {
  /** Objects per page; without it all come at once. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface WatchOptions extends Selection {
  readonly resourceVersion: string;
  readonly allowWatchBookmarks?: boolean;
  /** After which the server ends the watch. */
  readonly timeoutSeconds: number;
  /** Ends the iteration, quietly. */
  readonly signal: AbortSignal;
  /** Called when the server has begun to answer, and with each piece of the answer, bookmarks included. */
  readonly onHeard?: (() => void) | undefined;
}

/**
 * A thin client: JSON in, JSON out, nothing dropped and nothing cached. Every method throws ApiError for an answer
 * that is no, NoAnswer when there was none, NotLeader for a write past the deadline, and the signal's reason.
 *
 * Tried again, with back-off: anything that was certainly never sent (connection refused), anything turned away with
 * 429 for a short time, and reads that met a broken connection or a 503 with Retry-After. A write whose fate is unknown is never repeated.
 */
export interface KubeClient {
  get(type: ResourceType, name: ObjectName, options?: CallOptions & { readonly metadataOnly?: boolean }): Promise<KubeObject>;
  /** One page. `listAll` in pages.ts reads all pages. */
  list(type: ResourceType, options?: ListOptions): Promise<KubeList>;
  create(type: ResourceType, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** Server-side apply: kubernetes.io/docs/reference/using-api/server-side-apply. */
  apply(type: ResourceType, object: KubeObject, options?: WriteOptions & { readonly force?: boolean }): Promise<KubeObject>;
  /** Replaces the object; with a resourceVersion only if it is still the one that was read. */
  update(type: ResourceType, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  patch(
    type: ResourceType,
    name: ObjectName,
    patch: unknown,
    options: WriteOptions & { readonly type: 'json' | 'merge' },
  ): Promise<KubeObject>;
  delete(type: ResourceType, name: ObjectName, options?: DeleteOptions): Promise<void>;
  /** Any other request; the answer parsed if it is JSON, else as text. */
  raw(method: Method, path: string, options?: RawOptions): Promise<unknown>;
  watch(type: ResourceType, options: WatchOptions): AsyncIterable<WatchEvent>;
  version(options?: CallOptions): Promise<ServerVersion>;
  /** Ends watches at once, lets requests under way finish. */
  close(): Promise<void>;
}

export interface DeleteOptions extends CallOptions {
  /** Preconditions: 409 when the object is another one by now. */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  /** For how long the containers of a pod may still run, s. Default: as the pod says. */
  readonly gracePeriodSeconds?: number | undefined;
}

export interface RawOptions extends CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
}

export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}
