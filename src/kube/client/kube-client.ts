import { type Clock, systemClock } from '../clock.ts';
import type { ClusterConnection } from './connection.ts';
import type { ClientOptions, DeleteOptions, KubeClient, Selection, WriteOptions } from '../contract.ts';
import { collectionPath, objectPath, type Query, withQuery } from './paths.ts';
import { createRequests, isConfidential, type Requests } from './requests.ts';
import { apiVersionOf, type KubeList, type KubeObject, type ResourceType } from '../types.ts';
import { watchEvents } from '../watch/watch-stream.ts';

export type * from '../contract.ts';
export { isAlreadyExists, isConflict, isForbidden, isInvalid, isNotFound } from '../errors.ts';

/** The largest page: twenty of the largest objects. How large they are is not known before, and all of them are in memory at once. */
const MOST_BYTES = 32_000_000;
const JSON_TYPE = 'application/json';
const PATCH_TYPE = { json: 'application/json-patch+json', merge: 'application/merge-patch+json', apply: 'application/apply-patch+yaml' };

export function createClient(connection: ClusterConnection, options: ClientOptions): KubeClient {
  const { fieldManager, clock = systemClock } = options;
  const requests = createRequests(connection, options);
  return {
    ...reads(requests),
    ...writes(requests, fieldManager),
    raw: rawRequest(requests),
    watch: watches(requests, clock),
    close: requests.close,
  };
}

function reads({ send }: Requests): Pick<KubeClient, 'get' | 'list' | 'version'> {
  return {
    async get(type, name, options = {}) {
      const request = { method: 'GET', path: objectPath(type, name), accept: accept(options.metadataOnly, '') } as const;
      return typed(type)(object(await send(type.plural, request, options)));
    },

    async list(type, options = {}) {
      const query = { ...selection(options), limit: options.limit, continue: options.continue, resourceVersion: options.resourceVersion };
      const path = withQuery(collectionPath(type, options.namespace), query);
      const mostBytes = options.limit === undefined ? undefined : MOST_BYTES;
      const answer = await send(type.plural, { method: 'GET', path, accept: accept(options.metadataOnly, 'List'), mostBytes }, options);
      return pageOf(type, answer);
    },

    async version(options = {}) {
      return JSON.parse(await send('version', { method: 'GET', path: '/version' }, options));
    },
  };
}

function writes({ send }: Requests, fieldManager: string): Pick<KubeClient, 'create' | 'apply' | 'update' | 'patch' | 'delete'> {
  /** Sends a body and returns the object that the server made of it. */
  async function write(
    type: ResourceType,
    request: { method: 'POST' | 'PUT' | 'PATCH'; path: string; body: unknown; contentType?: string; query?: Query },
    options: WriteOptions,
  ): Promise<KubeObject> {
    const query: Query = {
      fieldManager: options.fieldManager ?? fieldManager,
      dryRun: options.dryRun ? 'All' : undefined,
      fieldValidation: options.fieldValidation,
      ...request.query,
    };
    const { method, contentType = JSON_TYPE } = request;
    const resource = options.subresource === undefined ? type.plural : `${type.plural}/${options.subresource}`;
    const answer = await send(
      resource,
      { method, path: withQuery(request.path, query), contentType, body: JSON.stringify(request.body) },
      options,
    );
    return object(answer);
  }

  return {
    create: (type, object, options = {}) =>
      write(type, { method: 'POST', path: collectionPath(type, namespaceOf(type, object)), body: object }, options),

    apply: (type, object, options = {}) =>
      write(
        type,
        {
          method: 'PATCH',
          path: objectPath(type, object.metadata, options.subresource),
          contentType: PATCH_TYPE.apply,
          body: object,
          query: { force: options.force },
        },
        options,
      ),

    update: (type, object, options = {}) =>
      write(type, { method: 'PUT', path: objectPath(type, object.metadata, options.subresource), body: object }, options),

    patch: (type, name, patch, options) =>
      write(
        type,
        { method: 'PATCH', path: objectPath(type, name, options.subresource), contentType: PATCH_TYPE[options.type], body: patch },
        options,
      ),

    async delete(type, name, options = {}) {
      const body = JSON.stringify(deletion(options));
      await send(type.plural, { method: 'DELETE', path: objectPath(type, name), contentType: JSON_TYPE, body }, options);
    },
  };
}

function rawRequest({ send }: Requests): KubeClient['raw'] {
  return async (method, path, options = {}) => {
    const { body, contentType = JSON_TYPE, accept } = options;
    const sent = body === undefined ? {} : { body: JSON.stringify(body), contentType };
    const answer = await send(rawResource(path), { method, path, ...(accept && { accept }), ...sent }, options);
    try {
      return JSON.parse(answer);
    } catch {
      return answer;
    }
  };
}

function watches({ open }: Requests, clock: Clock): KubeClient['watch'] {
  return (type, options) => {
    const { resourceVersion, allowWatchBookmarks = true, timeoutSeconds, signal, onHeard } = options;
    const query = { ...selection(options), watch: true, resourceVersion, allowWatchBookmarks, timeoutSeconds };
    const path = withQuery(collectionPath(type, options.namespace), query);
    const request = { method: 'GET', path, accept: accept(options.metadataOnly, '') } as const;
    return watchEvents({
      method: 'WATCH',
      path,
      timeoutSeconds,
      open: (signal) => open(type.plural, request, signal),
      signal,
      onHeard,
      clock,
      confidential: isConfidential(type.plural),
      typed: typed(type),
    });
  };
}

// The API server answers an object's path with that object; who needs more than metadata parses it.
const object = (text: string): KubeObject => JSON.parse(text) as KubeObject;

/** The shape of every list: meta/v1 ListMeta and items. */
function pageOf(type: ResourceType, answer: string): KubeList {
  const { metadata, items } = JSON.parse(answer) as {
    metadata: { resourceVersion: string; continue?: string };
    items: KubeObject[] | null;
  };
  return {
    items: (items ?? []).map(typed(type)),
    resourceVersion: metadata.resourceVersion,
    size: answer.length,
    ...(metadata.continue && { continue: metadata.continue }),
  };
}

const deletion = ({ uid, resourceVersion, propagation, gracePeriodSeconds }: DeleteOptions) => ({
  apiVersion: 'v1',
  kind: 'DeleteOptions',
  ...((uid !== undefined || resourceVersion !== undefined) && { preconditions: { uid, resourceVersion } }),
  ...(propagation && { propagationPolicy: propagation }),
  ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
});

/** Items of a list come without kind, metadata-only objects with a kind of their own: both get the type's. */
function typed(type: ResourceType): (object: KubeObject) => KubeObject {
  // One text for all: those who keep thousands of objects keep it with each.
  const apiVersion = apiVersionOf(type);
  return (object) => ({ ...object, apiVersion, kind: type.kind });
}

const namespaceOf = (type: ResourceType, { metadata }: KubeObject): string | undefined => {
  if (type.namespaced && metadata.namespace === undefined) throw new TypeError(`${type.kind} ${metadata.name} needs a namespace`);
  return metadata.namespace;
};

const selection = ({ labelSelector, fieldSelector }: Selection): Query => ({ labelSelector, fieldSelector });

/** kubernetes.io/docs/reference/using-api/api-concepts, "Metadata-only fetches". */
const accept = (metadataOnly: boolean | undefined, list: '' | 'List'): string =>
  metadataOnly ? `${JSON_TYPE};as=PartialObjectMetadata${list};g=meta.k8s.io;v=v1` : JSON_TYPE;

/** For metrics, so without names; but a Secret's path must be known as one. */
const rawResource = (path: string): string => (/\/secrets(\/|\?|$)/.test(path) ? 'secrets' : 'raw');
