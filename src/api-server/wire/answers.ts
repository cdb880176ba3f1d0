/** Answers to requests for objects; a watch (streams.ts) is no single answer. */
import type { KubeClient } from '../../kube/contract.ts';
import { ApiError } from '../../kube/errors.ts';
import { apiVersionOf, type KubeList, type KubeObject } from '../../kube/types.ts';
import type { ApiServer } from '../index.ts';
import { badRequest, forbidden, Refusal } from '../refusals.ts';
import type { PatchType } from '../patches.ts';
import type { FieldValidation } from '../schema/index.ts';
import { textOf, textOfList } from '../texts.ts';
import type { WireRequest } from './requests.ts';

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Admission of an object that is written; returns the changed object. Throws a Refusal if it denies the write. */
export type Admission = (request: WireRequest, object: KubeObject) => KubeObject;

/** Hooks that are called while an object is written. */
export interface Hooks {
  readonly admit?: Admission;
  /** Called with a warning for the client. */
  readonly warn?: (text: string) => void;
}

const partials = new WeakMap<object, object>();
/** An object for a client that asks for its metadata alone; the same one for all of them. */
export function partial(object: KubeObject): object {
  const { metadata } = object;
  const made = partials.get(object) ?? { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
  partials.set(object, made);
  return made;
}

/** Acts at once, and answers a Refusal in the words of a Status. */
export async function answerTo(server: ApiServer, request: WireRequest, admit: Admission): Promise<WireAnswer> {
  try {
    const body = await act(server, request, { admit });
    if (request.verb !== 'list') return { status: request.verb === 'create' ? 201 : 200, headers: {}, text: textOf(body) };
    const { items, ...list } = body as KubeList;
    return { status: 200, headers: {}, text: textOfList(list, items) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusalAnswer(error);
  }
}

export const refusalAnswer = ({ status, body, message }: Refusal): WireAnswer => ({
  status,
  headers: {},
  text: body ? JSON.stringify({ apiVersion: 'v1', metadata: {}, status: 'Failure', ...body }) : message,
});

/** The object or the list that answers a request. @throws Refusal */
export function act(server: ApiServer, request: WireRequest, { admit, warn }: Hooks): object | Promise<object> {
  const { verb, type, namespace, name = '', subresource, query, body, wants, patch } = request;
  const at = { type, namespace, name, subresource };
  const [dryRun, fieldValidation] = [query.get('dryRun'), query.get('fieldValidation')];
  const writing = {
    manager: query.get('fieldManager') ?? 'unknown',
    force: query.get('force') === 'true',
    ...(dryRun === 'All' && { dryRun: true }),
    ...(isValidation(fieldValidation) && { fieldValidation }),
    ...(admit && { mutate: (object: KubeObject) => admit(request, object) }),
    warn,
  };
  const { objects } = server;
  switch (verb) {
    case 'get': {
      const object = objects.get(at);
      return wants === 'metadata' ? partial(object) : object;
    }
    case 'list':
      return listOf(server, request);
    case 'create':
      return objects.create(type, namespace, objectOf(request), writing);
    case 'update':
      return objects.update(at, objectOf(request), writing);
    case 'apply':
      return objects.apply(at, objectOf(request), writing);
    case 'patch':
      return objects.patch(at, patch as PatchType, body, writing);
    case 'delete': {
      const {
        preconditions = {},
        propagationPolicy,
        gracePeriodSeconds,
      } = (body ?? {}) as {
        preconditions?: { uid?: string; resourceVersion?: string };
        propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
        gracePeriodSeconds?: number;
      };
      if (propagationPolicy !== undefined && !['Background', 'Foreground', 'Orphan'].includes(propagationPolicy))
        throw badRequest(`expected Background, Foreground or Orphan as propagationPolicy, found ${JSON.stringify(propagationPolicy)}`);
      if (type.group === '' && type.kind === 'Namespace' && IMMORTAL.has(name)) throw forbidden(at, 'this namespace may not be deleted');
      const live = objects.get(at);
      const object = admit ? admit(request, live) : live;
      if (dryRun === 'All') return object;
      const options = { ...preconditions, ...(propagationPolicy && { propagation: propagationPolicy }) };
      objects.delete(at, { ...options, ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) });
      return {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name, kind: type.plural, uid: object.metadata.uid },
      };
    }
    case 'watch':
      throw new Error('a watch is no single answer');
  }
}

/** As apiserver's admission plugin NamespaceLifecycle. */
const IMMORTAL = new Set(['default', 'kube-public', 'kube-system']);

const isValidation = (text: string | null): text is FieldValidation => text === 'Strict' || text === 'Warn' || text === 'Ignore';

/** The object in the body, which is the one that the path names. @throws Refusal */
function objectOf({ body, type, namespace, name, verb }: WireRequest): KubeObject {
  const { apiVersion = apiVersionOf(type), kind = type.kind, metadata } = (body ?? {}) as Partial<KubeObject>;
  if (typeof metadata !== 'object' || metadata === null) throw badRequest('expected an object with metadata in the body of the request');
  if (apiVersion !== apiVersionOf(type) || kind !== type.kind)
    throw badRequest(
      `${kind} in version "${apiVersion}" cannot be handled as a ${type.kind}: the path is that of ${type.plural} in ${apiVersionOf(type)}`,
    );
  if (verb !== 'create' && (metadata.name ?? name) !== name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  if (namespace !== undefined && (metadata.namespace ?? namespace) !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return { ...(body as KubeObject), metadata: { ...metadata, ...(verb !== 'create' && name !== undefined && { name }) } };
}

async function listOf(server: ApiServer, { type, namespace, query, wants }: WireRequest): Promise<object> {
  const limit = query.get('limit');
  if (limit !== null && !/^\d{1,9}$/.test(limit)) throw badRequest(`expected a whole number as limit, found ${JSON.stringify(limit)}`);
  const { items, resourceVersion, ...page } = await reader(server)
    .list(type, {
      namespace,
      metadataOnly: wants === 'metadata',
      ...selectors(query),
      ...(Number(limit) > 0 && { limit: Number(limit) }),
      ...(query.get('continue') && { continue: query.get('continue') as string }),
    })
    .catch((error: unknown) => {
      throw error instanceof ApiError ? new Refusal(error.status, error.body?.reason, error.body?.message ?? error.message) : error;
    });
  return { kind: `${type.kind}List`, apiVersion: apiVersionOf(type), metadata: { resourceVersion, continue: page.continue }, items };
}

const readers = new WeakMap<ApiServer, KubeClient>();
/** One client for all lists and watches, since each client remembers its pages. */
export function reader(server: ApiServer): KubeClient {
  const known = readers.get(server) ?? server.client({ fieldManager: 'wire', readsOnly: true });
  readers.set(server, known);
  return known;
}

export function selectors(query: URLSearchParams): { labelSelector?: string; fieldSelector?: string } {
  const [labelSelector, fieldSelector] = [query.get('labelSelector'), query.get('fieldSelector')];
  return { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
}
