/** Columns of what says who may do what. Rule: kubernetes/pkg/printers/internalversion. */
import type { KubeObject } from '../../../kube/types.ts';
import { ageColumn, column, integer, nameColumn, type TableColumn, wide } from './columns.ts';
import { at, listAt, textAt } from './read.ts';
import { selectorCell } from './selectors.ts';

const subjects = (binding: KubeObject, kind: string, nameOf: (subject: unknown) => string): string =>
  listAt(binding, 'subjects')
    .filter((subject) => at(subject, 'kind') === kind)
    .map(nameOf)
    .join(', ');
const nameOf = (subject: unknown): string => textAt(subject, 'name');

/** Columns of RoleBindings and ClusterRoleBindings. */
export const roleBinding: readonly TableColumn[] = [
  nameColumn,
  column('Role', (object) => `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`),
  ageColumn,
  wide('Users', (object) => subjects(object, 'User', nameOf)),
  wide('Groups', (object) => subjects(object, 'Group', nameOf)),
  wide('ServiceAccounts', (object) => subjects(object, 'ServiceAccount', (each) => `${textAt(each, 'namespace')}/${nameOf(each)}`)),
];

/** Columns of both kinds of webhook configurations. */
export const webhookConfiguration: readonly TableColumn[] = [
  nameColumn,
  integer('Webhooks', (object) => listAt(object, 'webhooks').length),
  ageColumn,
];

export const validatingAdmissionPolicy: readonly TableColumn[] = [
  nameColumn,
  integer('Validations', (object) => listAt(object, 'spec', 'validations').length),
  column('ParamKind', (object) => {
    const kind = at(object, 'spec', 'paramKind');
    return kind === undefined ? '<unset>' : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
  }),
  ageColumn,
];

export const validatingAdmissionPolicyBinding: readonly TableColumn[] = [
  nameColumn,
  column('PolicyName', (object) => textAt(object, 'spec', 'policyName')),
  column('ParamRef', (object) => {
    const name = textAt(object, 'spec', 'paramRef', 'name');
    return name === '' ? '<unset>' : `${textAt(object, 'spec', 'paramRef', 'namespace') || '*'}/${name}`;
  }),
  ageColumn,
];

export const networkPolicy: readonly TableColumn[] = [
  nameColumn,
  column('Pod-Selector', (object) => selectorCell(at(object, 'spec', 'podSelector'))),
  ageColumn,
];
