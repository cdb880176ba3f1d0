/** Requests as clients write them, in the words of src/api-server. */
import { parse } from 'yaml';
import type { ResourceType } from '../../kube/types.ts';
import type { PatchType } from '../patches.ts';
import { badRequest, Refusal } from '../refusals.ts';
import type { Verb } from '../rules.ts';
import { fromProtobuf } from './protobuf/decode.ts';

/** A request for objects, as it came over the wire. */
export interface WireRequest {
  readonly verb: Verb;
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
  /** The form of the object that the client wants. */
  readonly wants: 'object' | 'metadata' | 'table';
  /** The type of a `patch`. */
  readonly patch?: PatchType;
  readonly body: unknown;
}

/**
 * A request as the client sent it. Names of headers are in lower case; a body is text, or bytes if its content type says protobuf; null
 * where there is none.
 */
export interface Sent {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string | Uint8Array | null;
}

const PATCHES: Readonly<Record<string, PatchType | 'apply'>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** The types by `<group>/<version>/<plural>`, as paths name them. */
export const byPath = (types: Iterable<ResourceType>): ReadonlyMap<string, ResourceType> =>
  new Map([...types].map((type) => [`${type.group}/${type.version}/${type.plural}`, type]));

/**
 * Reads what a client sent.
 * @throws Refusal for a path that is not served, a verb that there is not, and a body that is no object
 */
export function readRequest(types: ReadonlyMap<string, ResourceType>, { method, path, headers, body }: Sent): WireRequest {
  const { type, query, ...where } = readPath(types, path);
  const contentType = mediaType(headers['content-type']);
  const patch = PATCHES[contentType];
  const verb = verbOf(method, where, patch, query);
  return {
    verb,
    type,
    ...where,
    query,
    wants: wantsOf(String(headers['accept'] ?? '')),
    ...(verb === 'patch' && { patch: patch as PatchType }),
    body: body === null || body.length === 0 ? undefined : readBody(body, contentType),
  };
}

interface Where {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

function readPath(
  types: ReadonlyMap<string, ResourceType>,
  sent: string,
): Where & { readonly type: ResourceType; readonly query: URLSearchParams } {
  const [path = '', search = ''] = sent.split('?', 2);
  const [, root, ...rest] = path.split('/').map(decoded);
  const [group, version, ...within] = root === 'api' ? ['', ...rest] : rest;
  // `namespaces/<name>/<plural>`, but also `namespaces/<name>/status`.
  const isInside = within[0] === 'namespaces' && within.length > 2 && !['status', 'finalize'].includes(within[2] ?? '');
  const [plural, name, subresource, ...more] = isInside ? within.slice(2) : within;
  const type = types.get(`${group}/${version}/${plural}`);
  if (!type || more.length > 0 || (isInside && !type.namespaced)) throw new Refusal(404, undefined, '404 page not found');
  return { type, namespace: isInside ? within[1] : undefined, name, subresource, query: new URLSearchParams(search) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest(`expected a path in percent-encoding, found ${part.slice(0, 100)}`);
  }
}

function verbOf(method: string, { name, subresource }: Where, patch: PatchType | 'apply' | undefined, query: URLSearchParams): Verb {
  switch (method) {
    case 'GET':
      return isTrue(query.get('watch')) ? 'watch' : name === undefined ? 'list' : 'get';
    case 'POST':
      // A subresource is created at an object: `pods/<name>/eviction`.
      if (name === undefined || (subresource !== undefined && subresource !== 'status')) return 'create';
      break;
    case 'PUT':
      if (name !== undefined) return 'update';
      break;
    case 'DELETE':
      if (name !== undefined) return 'delete';
      break;
    case 'PATCH':
      if (name === undefined) break;
      if (!patch)
        throw new Refusal(
          415,
          'UnsupportedMediaType',
          `the body of the request was in an unknown format - accepted media types include: ${Object.keys(PATCHES).join(', ')}`,
        );
      return patch === 'apply' ? 'apply' : 'patch';
    default:
  }
  throw new Refusal(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
}

export const isTrue = (value: string | null): boolean => value === 'true' || value === '1';

/** The first accepted form that the server has. */
function wantsOf(accept: string): WireRequest['wants'] {
  for (const range of accept.split(',')) {
    if (range.includes('as=Table') && range.includes('v=v1')) return range.includes('v1beta1') ? 'object' : 'table';
    if (range.includes('as=PartialObjectMetadata')) return 'metadata';
    if (/^\s*(application\/json|\*\/\*)\s*(;q=[\d.]+)?$/.test(range)) return 'object';
  }
  return 'object';
}

export const mediaType = (header: string | string[] | undefined): string => (String(header ?? '').split(';')[0] ?? '').trim();

export const isProtobuf = (contentType: string): boolean => contentType === 'application/vnd.kubernetes.protobuf';

function readBody(body: string | Uint8Array, contentType: string): unknown {
  if (contentType.includes('cbor'))
    throw new Refusal(415, 'UnsupportedMediaType', `the server reads JSON, YAML and protobuf, not ${contentType}`);
  // Protobuf has JSON inside, such as the fields of managers.
  const read = typeof body === 'string' ? parsed(body, contentType) : fromProtobuf(body);
  if (isTooDeep(read)) throw badRequest(`the body of the request is nested deeper than ${MOST_DEEP} levels`);
  return read;
}

/** Levels of a body; more than any object has, and fewer than what walks objects can take. */
const MOST_DEEP = 200;
function isTooDeep(body: unknown): boolean {
  let level: readonly unknown[] = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_DEEP) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}

/** Limit of YAML: comparing the keys of a map with each other takes the square of their number. */
const MOST_YAML = 256 << 10;

/** JSON is tried first, under any content type: it is read ten times as fast. */
function parsed(body: string, contentType: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (!contentType.includes('yaml')) throw badRequest(`the body of the request is no JSON: ${(error as Error).message}`);
  }
  if (body.length > MOST_YAML)
    throw new Refusal(413, 'RequestEntityTooLarge', `Request entity too large: limit of YAML is ${MOST_YAML}; JSON may have more`);
  try {
    return parse(body);
  } catch (error) {
    throw badRequest(`the body of the request is no YAML: ${(error as Error).message.split('\n')[0]}`);
  }
}
