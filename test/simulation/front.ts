import type { KubeList, KubeObject, ResourceType } from '../../src/kube/types.ts';
import type { ApiServer } from '../../src/api-server/index.ts';
import { Refusal } from '../../src/api-server/refusals.ts';
import type { Verb } from '../../src/api-server/rules.ts';

/** A request as it came over the wire. */
export interface WireRequest {
  readonly verb: Verb;
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
  readonly metadataOnly: boolean;
  readonly body: unknown;
}
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What admission makes of an object that is written. Throws a Refusal if it denies the write. */
export type Admission = (request: WireRequest, object: KubeObject) => KubeObject;

const PATCHES: Readonly<Record<string, 'json' | 'merge' | 'apply'>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/apply-patch+yaml': 'apply',
};

/** Reads what a client sent. Throws a Refusal for a path that the server does not serve. */
export function readRequest(
  types: ReadonlyMap<string, ResourceType>,
  sent: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
  },
): WireRequest {
  const [path = '', search = ''] = sent.path.split('?', 2);
  const [, root, ...rest] = path.split('/').map(decodeURIComponent);
  const query = new URLSearchParams(search);
  const [group, version, ...within] = root === 'api' ? ['', ...rest] : rest;
  const isInside = within[0] === 'namespaces' && within.length > 2;
  const [plural, name, subresource] = isInside ? within.slice(2) : within;
  const type = types.get(`${group}/${version}/${plural}`);
  if (!type) throw new Refusal(404, undefined, '404 page not found');
  const patch = PATCHES[sent.headers['content-type'] ?? ''];
  return {
    verb: verbOf(sent.method, name, patch, query),
    type,
    namespace: isInside ? within[1] : undefined,
    name,
    subresource,
    query,
    metadataOnly: (sent.headers['accept'] ?? '').includes('PartialObjectMetadata'),
    body:
      sent.body === null
        ? undefined
        : patch === 'json' || patch === 'merge'
          ? { patch, ops: JSON.parse(sent.body) }
          : JSON.parse(sent.body),
  };
}

function verbOf(method: string, name: string | undefined, patch: string | undefined, query: URLSearchParams): Verb {
  if (method === 'POST') return 'create';
  if (method === 'PUT') return 'update';
  if (method === 'DELETE') return 'delete';
  if (method === 'PATCH') return patch === 'apply' ? 'apply' : 'patch';
  if (query.get('watch') === 'true') return 'watch';
  return name === undefined ? 'list' : 'get';
}

const texts = new WeakMap<object, string>();
/** As JSON. What the server has stored never changes, so each is written once for all who read it. */
export function textOf(stored: object): string {
  const known = texts.get(stored);
  if (known !== undefined) return known;
  const text = JSON.stringify(stored);
  texts.set(stored, text);
  return text;
}
const textOfList = ({ items, ...rest }: KubeList): string =>
  `${JSON.stringify(rest).slice(0, -1)},"items":[${items.map(textOf).join(',')}]}`;

/** What the server answers to anything but a watch. It acts at once. */
export async function answerTo(server: ApiServer, request: WireRequest, admit: Admission): Promise<WireAnswer> {
  try {
    const body = await act(server, request, admit);
    return {
      status: request.verb === 'create' ? 201 : 200,
      headers: {},
      text: request.verb === 'list' ? textOfList(body as KubeList) : textOf(body),
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusalAnswer(error);
  }
}

export const refusalAnswer = ({ status, body, message }: Refusal): WireAnswer => ({
  status,
  headers: {},
  text: body ? JSON.stringify({ apiVersion: 'v1', status: 'Failure', ...body }) : message,
});

function act(server: ApiServer, request: WireRequest, admit: Admission): object | Promise<object> {
  const { verb, type, namespace, name = '', subresource, query, body, metadataOnly } = request;
  // The controller's events are answered and not kept: no check reads them, and nobody would ever delete them.
  if (type.group === 'events.k8s.io') return verb === 'list' ? { metadata: { resourceVersion: '1' }, items: [] } : (body as object);
  const at = { type, namespace, name, subresource };
  const writing = {
    manager: query.get('fieldManager') ?? 'unknown',
    force: query.get('force') === 'true',
    ...(query.get('dryRun') === 'All' && { dryRun: true }),
    ...(query.get('fieldValidation') === 'Strict' && { fieldValidation: 'Strict' as const }),
    mutate: (object: KubeObject) => admit(request, object),
  };
  const { objects } = server;
  switch (verb) {
    case 'get': {
      const object = objects.get(at);
      return metadataOnly ? { ...object, metadata: object.metadata } : object;
    }
    case 'list':
      return listOf(server, request);
    case 'create':
      return objects.create(type, namespace, body as KubeObject, writing);
    case 'update':
      return objects.update(at, body as KubeObject, writing);
    case 'apply':
      return objects.apply(at, body as KubeObject, writing);
    case 'patch': {
      const { patch, ops } = body as { patch: 'json' | 'merge'; ops: unknown };
      return objects.patch(at, patch, ops, writing);
    }
    case 'delete': {
      const { preconditions = {}, propagationPolicy } = (body ?? {}) as {
        preconditions?: { uid?: string; resourceVersion?: string };
        propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
      };
      admit(request, objects.get(at));
      objects.delete(at, { ...preconditions, ...(propagationPolicy && { propagation: propagationPolicy }) });
      return { kind: 'Status', apiVersion: 'v1', status: 'Success' };
    }
    case 'watch':
      throw new Error('a watch is no single answer');
  }
}

async function listOf(server: ApiServer, { type, namespace, query, metadataOnly }: WireRequest): Promise<object> {
  const limit = query.get('limit');
  const { items, resourceVersion, ...page } = await lister(server)
    .list(type, {
      namespace,
      metadataOnly,
      ...selectors(query),
      ...(limit && { limit: Number(limit) }),
      ...(query.get('continue') && { continue: query.get('continue') as string }),
    })
    .catch((error: unknown) => {
      const { status, body, message } = error as { status?: number; body?: { reason?: string; message?: string }; message: string };
      if (status === undefined) throw error;
      throw new Refusal(status, body?.reason, body?.message ?? message);
    });
  return { metadata: { resourceVersion, continue: page.continue }, items };
}

const listers = new WeakMap<ApiServer, ReturnType<ApiServer['client']>>();
/** One client for all lists, since each client remembers its pages. */
export function lister(server: ApiServer): ReturnType<ApiServer['client']> {
  const known = listers.get(server) ?? server.client({ fieldManager: 'front', readsOnly: true });
  listers.set(server, known);
  return known;
}

export function selectors(query: URLSearchParams): { labelSelector?: string; fieldSelector?: string } {
  const [labelSelector, fieldSelector] = [query.get('labelSelector'), query.get('fieldSelector')];
  return { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
}
