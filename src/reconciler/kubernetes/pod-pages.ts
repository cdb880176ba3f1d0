import type { KubeClient } from '../../kube/contract.ts';
import { isGone } from '../../kube/errors.ts';
import type { KubeObject } from '../../kube/types.ts';
import { Pod } from './kinds.ts';

/** 1 MB of pods at a time: between two pages others have their turn. */
const PAGE = 250;

/** What is kept of the pods of a namespace, read afresh. Of the pods themselves no more than a page is held: a tenant may have any number. */
export async function fromPods<T>(client: KubeClient, namespace: string, kept: (pod: KubeObject) => readonly T[]): Promise<readonly T[]> {
  const all: T[] = [];
  let next: string | undefined;
  do {
    const page = await client.list(Pod, { namespace, limit: PAGE, ...(next && { continue: next }) }).catch((error: unknown) => {
      // The pages were compacted away under us.
      if (isGone(error) && next) return undefined;
      throw error;
    });
    if (!page) return fromPods(client, namespace, kept);
    all.push(...page.items.flatMap(kept));
    next = page.continue;
  } while (next !== undefined);
  return all;
}

/** Whether a pod that has not ended names the claim. */
export const mounts = (pod: KubeObject, claim: string): boolean => claimsOf(pod).includes(claim) && !hasEnded(pod);

/** Claims that a pod names. */
export function claimsOf({ spec }: KubeObject): readonly string[] {
  const { volumes = [] } = (spec ?? {}) as { volumes?: readonly { persistentVolumeClaim?: { claimName?: string } }[] };
  return [...new Set(volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []))];
}
export const hasEnded = ({ status }: KubeObject): boolean =>
  ['Succeeded', 'Failed'].includes((status as { phase?: string } | undefined)?.phase ?? '');
