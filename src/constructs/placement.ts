import { type Affinity, fuseNodeLabel, label } from '../api/index.ts';
import type { BasePlan } from './contract.ts';

const HOSTNAME = 'kubernetes.io/hostname';

/** Where workers may run: alone on a node (Exclusive) or with other Shared Datasets, preferably where pods read. */
export function workerAffinity(plan: BasePlan): Affinity {
  const anyDataset = { labelSelector: { matchExpressions: [{ key: label.dataset, operator: 'Exists' }] }, topologyKey: HOSTNAME };
  const exclusiveDataset = {
    labelSelector: { matchExpressions: [{ key: label.placement, operator: 'In', values: ['Exclusive'] }] },
    topologyKey: HOSTNAME,
  };
  return {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, preference: { matchExpressions: [{ key: fuseNodeLabel(plan.dataset), operator: 'In', values: ['true'] }] } },
      ],
      ...(plan.nodeAffinity && { requiredDuringSchedulingIgnoredDuringExecution: plan.nodeAffinity }),
    },
    podAntiAffinity:
      plan.placement === 'Exclusive'
        ? { requiredDuringSchedulingIgnoredDuringExecution: [anyDataset] }
        : {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, podAffinityTerm: anyDataset }],
            requiredDuringSchedulingIgnoredDuringExecution: [exclusiveDataset],
          },
  };
}
