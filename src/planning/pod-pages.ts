import { sidecar } from '../api/sidecars.ts';
import type { KubeClient } from '../kube/contract.ts';
import { listAll } from '../kube/watch/pages.ts';
import type { KubeObject } from '../kube/types.ts';
import { Pod } from './kinds.ts';

/** Pods on one page: about 1 MB. Between two pages other work of the process goes on. */
const MOST = 250;

/** Lists the pods of a namespace and returns what `kept` takes from each. Only a page of pods is held in memory: a tenant may have any number. */
export async function fromPods<T>(client: KubeClient, namespace: string, kept: (pod: KubeObject) => readonly T[]): Promise<readonly T[]> {
  const { items } = await listAll(client, Pod, { namespace, most: MOST }, (page) => page.flatMap(kept));
  return items;
}

/** Whether a pod that has not ended names the claim. */
export const mounts = (pod: KubeObject, claim: string): boolean => claimsOf(pod).includes(claim) && !hasEnded(pod);

/** Claims that a pod names. */
function claimsOf({ spec }: KubeObject): readonly string[] {
  const { volumes = [] } = (spec ?? {}) as { volumes?: readonly { persistentVolumeClaim?: { claimName?: string } }[] };
  return [...new Set(volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []))];
}
/**
 * Claims whose Datasets a pod reads, once it runs: those that it names, and those whose clients it has as sidecars.
 * threat-model: R-sidecar-reader
 */
export function readClaimsOf(pod: KubeObject): readonly string[] {
  const clients = Object.entries(pod.metadata.labels ?? {}).flatMap(([key, name]) => (key.startsWith(sidecar.datasetName) ? [name] : []));
  return hasEnded(pod) ? claimsOf(pod) : [...new Set([...claimsOf(pod), ...clients])];
}
/** Whether a pod that has not ended reads the Dataset of the claim. */
export const reads = (pod: KubeObject, claim: string): boolean => readClaimsOf(pod).includes(claim) && !hasEnded(pod);

export const hasEnded = ({ status }: KubeObject): boolean =>
  ['Succeeded', 'Failed'].includes((status as { phase?: string } | undefined)?.phase ?? '');
