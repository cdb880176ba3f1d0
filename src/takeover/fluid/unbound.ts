import { Dataset } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { typeOf } from '../../planning/kinds.ts';
import { isServed } from '../../planning/views.ts';
import type { Contribution } from '../steps/step.ts';

/**
 * Whether Fluid would never bind this Dataset, which is not bound: its controllers of runtimes take the condition `Ready`, of whatever
 * status, for a set-up that is complete (`IsSetupDone`). Sluice writes that condition, False, from the beginning.
 */
export function isLeftUnbound(object: KubeObject): boolean {
  // The cast: a Dataset as the API server stores it.
  const dataset = object as KubeObject & Pick<Dataset, 'status'>;
  return !isServed(dataset) && (dataset.status?.conditions ?? []).some(({ type }) => type === 'Ready');
}

/** Removes the conditions of those that Fluid would never bind. */
export function conditionsRemoved(datasets: readonly KubeObject[]): Contribution | undefined {
  const unbound = datasets.filter(isLeftUnbound);
  if (unbound.length === 0) return undefined;
  return {
    actions: unbound.map(({ metadata: { namespace, name } }) => ({
      do: 'patch',
      object: { type: typeOf(Dataset), namespace, name },
      subresource: 'status',
      patch: { status: { conditions: [] } },
      says: 'remove the conditions of …',
    })),
  };
}
