import type { KubeClient, WriteOptions } from '../../../kube/contract.ts';
import { ApiError } from '../../../kube/errors.ts';
import type { ResourceType } from '../../../kube/types.ts';
import { ownedKinds, Secret } from '../../../planning/kinds.ts';

export interface Guard {
  /** Whether the viewer may list the kind in this namespace, or in the cluster if it is undefined. */
  mayRead(type: ResourceType, namespace: string | undefined): boolean | Promise<boolean>;
  /** Whether dry runs pass, and what they are compared with. */
  readonly dryRuns?: true;
}

/**
 * A client that asks only what a viewer may know, and writes nothing. Secrets are never read. ConfigMaps, whose contents are configurations
 * of engines, are read for a comparison alone. What it refuses, it refuses as an API server does.
 */
export function guarded(client: KubeClient, { mayRead, dryRuns }: Guard): KubeClient {
  async function read<T>(verb: string, type: ResourceType, namespace: string | undefined, ask: () => Promise<T>): Promise<T> {
    if (isHidden(type, dryRuns) || !(await mayRead(type, namespace))) throw refusal(verb, type, namespace);
    return ask();
  }
  async function write<T>(
    verb: string,
    type: ResourceType,
    namespace: string | undefined,
    { dryRun }: WriteOptions,
    ask: () => Promise<T>,
  ): Promise<T> {
    if (!dryRuns || dryRun !== true || isHidden(type, dryRuns)) throw refusal(verb, type, namespace);
    return ask();
  }
  const none = (): never => {
    throw new TypeError('the page asks for objects alone, and changes none');
  };
  return {
    get: (type, name, options) => read('get', type, name.namespace, () => client.get(type, name, options)),
    list: (type, options = {}) => read('list', type, options.namespace, () => client.list(type, options)),
    create: (type, object, options = {}) =>
      write('create', type, object.metadata.namespace, options, () => client.create(type, object, options)),
    apply: (type, object, options = {}) =>
      write('patch', type, object.metadata.namespace, options, () => client.apply(type, object, options)),
    update: (type, object, options = {}) =>
      write('update', type, object.metadata.namespace, options, () => client.update(type, object, options)),
    patch: (type, name, patch, options) => write('patch', type, name.namespace, options, () => client.patch(type, name, patch, options)),
    delete: none,
    raw: none,
    watch: none,
    version: (options) => client.version(options),
    // The client is that of the server, or of the session.
    close: async () => {},
  };
}

const isHidden = ({ group, plural }: ResourceType, dryRuns: true | undefined): boolean =>
  group === '' && (plural === Secret.plural || (plural === ownedKinds.ConfigMap.plural && !dryRuns));

function refusal(verb: string, { group, plural }: ResourceType, namespace: string | undefined): ApiError {
  const resource = group === '' ? plural : `${plural}.${group}`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const message = `${resource} is forbidden: the viewer cannot ${verb} resource "${plural}" in API group "${group}" ${where}`;
  const request = { method: verb.toUpperCase(), path: `/${plural}` };
  return new ApiError(request, 403, message, { body: { status: 'Failure', reason: 'Forbidden', message, code: 403 } });
}
