import type { Dataset } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { isServed } from '../../planning/views.ts';

/**
 * Whether Fluid would never bind this Dataset, which is not bound: its controllers of runtimes take the condition `Ready`, of whatever
 * status, for a set-up that is complete (`IsSetupDone`). Sluice writes that condition, False, from the beginning.
 */
export function isLeftUnbound(object: KubeObject): boolean {
  // The cast: a Dataset as the API server stores it.
  const dataset = object as KubeObject & Pick<Dataset, 'status'>;
  return !isServed(dataset) && (dataset.status?.conditions ?? []).some(({ type }) => type === 'Ready');
}
