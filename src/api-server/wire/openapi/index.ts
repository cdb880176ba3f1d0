/** OpenAPI documents of what a server serves, for `kubectl explain`, its check of fields, and other clients that ask for schemas. */
import { createHash } from 'node:crypto';
import type { ResourceType } from '../../../kube/types.ts';
import { definedVersion } from '../../definition.ts';
import type { StructuralSchema } from '../../schema/structural.ts';
import type { Discovered } from '../discovery.ts';
import type { Served } from '../served.ts';
import { pathsOf } from './paths.ts';
import { documentPath, namedSchemas } from './schemas.ts';
import { swagger } from './swagger.ts';

const JSON_TYPE = 'application/json';
const INFO = { title: 'Kubernetes', version: 'v1' };

/**
 * The documents of what is served: `/openapi/v3` lists them by group version with a hash of each, `/openapi/v3/<path>` is one, and
 * `/openapi/v2` has them all in the older form. They are JSON; clients of Go that want version 2 in protobuf alone get no answer, and do
 * without. Each document is made when it is asked for first.
 * @param served what discovery lists
 * @param crds as the files under crds/ hold them
 * @example
 * createOpenApi(servedBuiltIns, [])('/openapi/v3/api/v1')?.body; // → { openapi: '3.0.0', info: …, paths: …, components: … }
 */
export function createOpenApi(
  served: readonly Served[],
  crds: readonly object[],
): (path: string, accept?: string) => Discovered | undefined {
  const own = (type: ResourceType): StructuralSchema | undefined => definedVersion(crds, type)?.schema?.openAPIV3Schema;
  const byPath = Map.groupBy(served, ({ type }) => documentPath(type));
  const made = new Map<string, object>();
  const hashes = new Map<string, string>();
  const answer = (body: object): Discovered => ({ contentType: JSON_TYPE, body });

  function document(path: string): object | undefined {
    const group = byPath.get(path);
    const known = made.get(path);
    if (!group || known) return known;
    const types = group.map(({ type }) => type);
    const schemas = Object.fromEntries(namedSchemas(types, own, '#/components/schemas/'));
    const body = { openapi: '3.0.0', info: INFO, paths: pathsOf(group, '#/components/schemas/'), components: { schemas } };
    made.set(path, body);
    return body;
  }
  function index(): object {
    const hash = (path: string): string => {
      const known =
        hashes.get(path) ??
        createHash('sha256')
          .update(JSON.stringify(document(path)))
          .digest('hex')
          .slice(0, 32)
          .toUpperCase();
      hashes.set(path, known);
      return known;
    };
    const paths = [...byPath.keys()].map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash(path)}` }]);
    return { paths: Object.fromEntries(paths) };
  }

  return (path, accept = JSON_TYPE) => {
    if (path === '/openapi/v3') return answer(index());
    if (path === '/openapi/v2') return takesJson(accept) ? answer(swagger(served, own, INFO)) : undefined;
    const body = path.startsWith('/openapi/v3/') ? document(path.slice('/openapi/v3/'.length)) : undefined;
    return body && answer(body);
  };
}

const takesJson = (accept: string): boolean => accept === '' || /\*\/\*|application\/(json|\*)/.test(accept);
