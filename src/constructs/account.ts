import type { Construct } from 'constructs';
import type { PolicyRule } from '../api/index.ts';
import { owned } from './component.ts';
import type { BasePlan } from './contract.ts';

const RBAC = 'rbac.authorization.k8s.io';

/**
 * A ServiceAccount, a Role with the rules and a RoleBinding, all of one name, owned by the runtime. Pods use it by `serviceAccountName`.
 * @example
 * import type { Construct } from 'constructs';
 *
 * class AcmeMaster extends Master {
 *   constructor(scope: Construct, plan: BasePlan) {
 *     const name = plan.workloads.master;
 *     super(scope, plan, { serviceAccountName: name, containers: [{ name: 'acme-master', image: 'acme:1' }] });
 *     account(this, plan, name, [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }]);
 *   }
 * }
 */
export function account(scope: Construct, plan: BasePlan, name: string, rules: readonly PolicyRule[]): void {
  owned(scope, plan, undefined, { apiVersion: 'v1', kind: 'ServiceAccount', name });
  owned(scope, plan, undefined, { apiVersion: `${RBAC}/v1`, kind: 'Role', name, rules });
  owned(scope, plan, undefined, {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    name,
    roleRef: { apiGroup: RBAC, kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: plan.namespace }],
  });
}
