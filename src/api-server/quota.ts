import { quantity } from '../api/units.ts';
import type { KubeObject } from '../kube/types.ts';
import { hasEnded } from './pods.ts';
import { isBuiltIn, ResourceQuota } from './kinds.ts';
import { forbidden, type Target } from './refusals.ts';
import type { Storage } from './storage.ts';

/**
 * The admission plugin ResourceQuota, as far as it counts pods: those that have not ended.
 * @throws Refusal 403 when there would be more pods in the namespace than a quota allows
 */
export function refuseOverQuota(storage: Storage, at: Target, made: KubeObject): void {
  if (made.kind !== 'Pod' || !isBuiltIn(at.type)) return;
  const isHere = ({ metadata }: KubeObject) => metadata.namespace === at.namespace;
  for (const quota of storage.all(ResourceQuota).filter(isHere)) {
    const limited = (quota['spec'] as { hard?: Readonly<Record<string, string>> }).hard?.['pods'];
    if (limited === undefined) continue;
    const used = storage.all(at.type).filter((pod) => isHere(pod) && !hasEnded(pod)).length;
    if (used < quantity(limited, 'spec.hard.pods')) continue;
    const why = `exceeded quota: ${quota.metadata.name}, requested: pods=1, used: pods=${used}, limited: pods=${limited}`;
    throw forbidden(at, why);
  }
}
