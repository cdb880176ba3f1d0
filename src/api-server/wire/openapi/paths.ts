/** The operations of resources, as a document lists them: kubectl looks there for kinds and for what a PATCH takes. */
import { collectionPath } from '../../../kube/client/paths.ts';
import type { ResourceType } from '../../../kube/types.ts';
import { isBuiltIn } from '../../kinds.ts';
import type { Served } from '../served.ts';
import { type RefPrefix, schemaName } from './schemas.ts';

const JSON_TYPE = 'application/json';
const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];
/** Patch type of kinds whose lists have merge keys. */
const STRATEGIC = 'application/strategic-merge-patch+json';

const WRITES = ['dryRun', 'fieldManager', 'fieldValidation'];
const LISTS = ['allowWatchBookmarks', 'continue', 'fieldSelector', 'labelSelector', 'limit', 'resourceVersion', 'timeoutSeconds', 'watch'];
/** Methods by verb, with their query parameters. */
const METHODS: Readonly<Record<string, readonly [method: string, action: string, query: readonly string[]]>> = {
  list: ['get', 'list', LISTS],
  create: ['post', 'post', WRITES],
  get: ['get', 'get', []],
  update: ['put', 'put', WRITES],
  patch: ['patch', 'patch', [...WRITES, 'force']],
  delete: ['delete', 'delete', ['dryRun', 'gracePeriodSeconds', 'propagationPolicy']],
};

/** The paths of resources, with their operations. */
export const pathsOf = (served: readonly Served[], prefix: RefPrefix): object =>
  Object.fromEntries(served.flatMap((each) => [...resourcePaths(each, prefix)]));

function* resourcePaths({ type, verbs, subresources }: Served, prefix: RefPrefix): Iterable<readonly [path: string, item: object]> {
  const collection = type.namespaced ? collectionPath(type, 'NAMESPACE').replace('/NAMESPACE/', '/{namespace}/') : collectionPath(type);
  const own = ['name', ...(type.namespaced ? ['namespace'] : [])];
  const operations = (names: readonly string[], among: readonly string[]) =>
    Object.fromEntries(names.filter((name) => among.includes(name)).map((name) => operation(type, name, prefix)));
  yield [collection, { ...operations(['list', 'create'], verbs), ...parameters(own.slice(1)) }];
  if (type.namespaced) yield [collectionPath(type), operations(['list'], verbs)];
  yield [`${collection}/{name}`, { ...operations(['get', 'update', 'patch', 'delete'], verbs), ...parameters(own) }];
  for (const { name, kind, verbs: among } of subresources)
    if (!kind) yield [`${collection}/{name}/${name}`, { ...operations(['get', 'update', 'patch'], among), ...parameters(own) }];
}

const parameters = (names: readonly string[]) =>
  names.length === 0 ? {} : { parameters: names.map((name) => ({ name, in: 'path', required: true, ...textOf(name) })) };
const textOf = (name: string) => ({ schema: { type: ['force', 'watch'].includes(name) ? 'boolean' : 'string' } });

function operation(type: ResourceType, verb: string, prefix: RefPrefix): readonly [method: string, operation: object] {
  const [method, action, query] = METHODS[verb] ?? ['get', 'get', []];
  const { group, version, kind } = type;
  const content = (types: readonly string[]) =>
    Object.fromEntries(types.map((each) => [each, { schema: { $ref: `${prefix}${schemaName(type)}` } }]));
  const takes = verb === 'patch' ? [...PATCH_TYPES, ...(isBuiltIn(type) ? [STRATEGIC] : [])] : [JSON_TYPE];
  const fields = {
    operationId: `${verb}${type.namespaced ? 'Namespaced' : ''}${kind}`,
    parameters: query.map((name) => ({ name, in: 'query', ...textOf(name) })),
    ...(['create', 'update', 'patch'].includes(verb) && { requestBody: { content: content(takes), required: true } }),
    responses: { 200: { description: 'OK', content: content([JSON_TYPE]) } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
  return [method, fields];
}
