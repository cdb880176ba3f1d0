import { Construct } from 'constructs';
import { PlainObject } from '../constructs/index.ts';
import { labels, type InstalledPart } from './labels.ts';
import type { Right } from './rights.ts';

const RBAC = 'rbac.authorization.k8s.io';

export interface AccountProps {
  readonly name: string;
  readonly namespace: string;
  readonly part: InstalledPart;
  /** Rights in every namespace. */
  readonly rights: readonly Right[];
  /** Rights in its own namespace only. */
  readonly rightsAtHome?: readonly Right[];
}

/** A ServiceAccount and what it may do, all under one name. */
export class Account extends Construct {
  constructor(scope: Construct, id: string, { name, namespace, part, rights, rightsAtHome }: AccountProps) {
    super(scope, id);
    const home = { name, namespace, labels: labels(part) };
    const everywhere = { name, labels: labels(part) };
    const subjects = [{ kind: 'ServiceAccount', name, namespace }];
    // Each pod declares itself whether it mounts a token.
    new PlainObject(this, 'account', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: home, automountServiceAccountToken: false });
    new PlainObject(this, 'rights', { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: everywhere, rules: rulesOf(rights) });
    new PlainObject(this, 'binding', {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: everywhere,
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
      subjects,
    });
    if (!rightsAtHome) return;
    new PlainObject(this, 'home-rights', { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: home, rules: rulesOf(rightsAtHome) });
    new PlainObject(this, 'home-binding', {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: home,
      roleRef: { apiGroup: RBAC, kind: 'Role', name },
      subjects,
    });
  }
}

const rulesOf = (rights: readonly Right[]) =>
  rights.map(({ group, resources, verbs, names }) => ({ apiGroups: [group], resources, verbs, ...(names && { resourceNames: names }) }));
