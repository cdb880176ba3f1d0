import type { Construct } from 'constructs';
import type { Manifest } from '../api/index.ts';
import { PlainObject } from '../constructs/index.ts';
import { labels } from './labels.ts';

const GUARDED: readonly string[] = ['system-node-critical', 'system-cluster-critical'];
/** No cluster has so many pods: the quota permits, and limits nothing. */
const MOST_PODS = '1M';

/**
 * Clusters that guard the classes of Kubernetes, such as GKE, refuse pods with them in each namespace that has no quota for them.
 * https://kubernetes.io/docs/concepts/policy/resource-quotas/#limit-priority-class-consumption-by-default
 */
export const priorityQuota = (scope: Construct, namespace: string): PlainObject =>
  new PlainObject(scope, `priority-quota-${namespace}`, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'sluice-critical-pods', namespace, labels: labels() },
    spec: {
      hard: { pods: MOST_PODS },
      scopeSelector: { matchExpressions: [{ operator: 'In', scopeName: 'PriorityClass', values: GUARDED }] },
    },
  });

/** Whether the pods of a workload have one of these classes. */
export function hasGuardedClass(object: Manifest): boolean {
  const { template } = (object['spec'] ?? {}) as { readonly template?: { readonly spec?: { readonly priorityClassName?: string } } };
  return GUARDED.includes(template?.spec?.priorityClassName ?? '');
}
