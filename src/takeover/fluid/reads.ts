import type { KubeClient, ListOptions } from '../../kube/contract.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import type { KubeObject, ObjectName, ResourceType } from '../../kube/types.ts';
import { Stopped } from '../steps/stopped.ts';

/** A right that a reader does not have. */
export interface MissingRight {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Absent: in all namespaces. */
  readonly namespace?: string;
  /** Absent: any object. */
  readonly name?: string;
}

/** Reads that go on past what does not exist and what the reader may not see. */
export interface FluidReader {
  /** undefined: it does not exist, its kind is not installed, or it may not be read. */
  get(type: ResourceType, name: ObjectName, options?: { readonly metadataOnly?: boolean }): Promise<KubeObject | undefined>;
  list(type: ResourceType, options: ListOptions): Promise<readonly KubeObject[]>;
  /** Rights for which a read was refused. */
  missing(): readonly MissingRight[];
}

/** @throws NoAnswer, and ApiError for any answer but 403 and 404 */
export function readsOf(client: KubeClient): FluidReader {
  const missing = new Map<string, MissingRight>();
  const orNothing = async <T>(read: Promise<T>, nothing: T, right: MissingRight): Promise<T> => {
    try {
      return await read;
    } catch (error) {
      if (isForbidden(error)) missing.set(rightText(right), right);
      else if (!isNotFound(error)) throw error;
      return nothing;
    }
  };
  return {
    get: (type, name, options) =>
      orNothing<KubeObject | undefined>(client.get(type, name, options), undefined, {
        ...rightOf('get', type, name.namespace),
        name: name.name,
      }),
    list: (type, options) =>
      orNothing(
        client.list(type, options).then(({ items }) => items),
        [],
        rightOf('list', type, options.namespace),
      ),
    missing: () => [...missing.values()],
  };
}

const rightOf = (verb: string, { group, plural }: ResourceType, namespace: string | undefined): MissingRight => ({
  verb,
  group,
  resource: plural,
  ...(namespace !== undefined && { namespace }),
});

/** `get secrets/fluid-webhook-certs in fluid-system`. */
export const rightText = ({ verb, group, resource, namespace, name }: MissingRight): string =>
  `${verb} ${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : `/${name}`}${namespace === undefined ? '' : ` in ${namespace}`}`;

/** @throws Stopped if there are any: what may not be read must not count as gone */
export function checkRights(missing: readonly MissingRight[]): void {
  if (missing.length > 0) throw new Stopped(missing.map((right) => `expected the right to ${rightText(right)}; the API server refused it`));
}
