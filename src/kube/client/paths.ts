import { apiVersionOf, type ObjectName, type ResourceType } from '../types.ts';

/** Query parameters; what is undefined or false is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path of a collection: in one namespace, or across all when none is given. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${apiVersionOf(type)}`;
  const within = type.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace, 'namespace')}` : '';
  return `${root}${within}/${type.plural}`;
}

/**
 * The path of one object, with a subresource if given.
 *
 * @throws TypeError when a namespaced object comes without namespace, or a name could not be a path segment
 */
export function objectPath(type: ResourceType, { namespace, name }: ObjectName, subresource?: string): string {
  if (type.namespaced && namespace === undefined) throw new TypeError(`${type.kind} ${name} needs a namespace`);
  const base = `${collectionPath(type, namespace)}/${segment(name, 'name')}`;
  return subresource === undefined ? base : `${base}/${segment(subresource, 'subresource')}`;
}

/** The namespace in which a path is; of a cluster's objects, namespaces among them, none. */
export const namespaceIn = (path: string): string | undefined => /^[^?]*?\/namespaces\/([^/?]+)\//.exec(path)?.[1];

export function withQuery(path: string, query: Query): string {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === false) continue;
    parts.push(`${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
  }
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

/**
 * Case is kept: RBAC objects have upper-case names. What the API server refuses as a path segment (apimachinery
 * `IsValidPathSegmentName`) is refused here, since `..` would reach another collection.
 */
function segment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..' || /[/%]/.test(text))
    throw new TypeError(`not a valid ${what}: ${JSON.stringify(text)}`);
  return encodeURIComponent(text);
}
