import { badRequest } from '../api-server/refusals.ts';
import type { KubeObject } from '../kube/types.ts';

type Named = readonly { readonly name: string }[];

/**
 * The container of a pod that a request is about; rule: `validateContainer` of pkg/registry/core/pod/strategy.go.
 * @param asked empty: the only one
 * @throws Refusal
 */
export function containerOf({ metadata, spec }: KubeObject, asked: string): string {
  const { initContainers = [], containers = [] } = (spec ?? {}) as { readonly initContainers?: Named; readonly containers?: Named };
  const names = [...initContainers, ...containers].map(({ name }) => name);
  if (asked === '' && containers.length === 1) return containers[0]!.name;
  if (asked === '') throw badRequest(`a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(' ')}]`);
  if (!names.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${metadata.name}`);
  return asked;
}
