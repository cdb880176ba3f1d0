import type { Construct } from 'constructs';
import type { PolicyRule } from '../api/index.ts';
import { owned } from './component.ts';
import type { BasePlan } from './contract.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** A ServiceAccount and what it may do, all under one name. */
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
