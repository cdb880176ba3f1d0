import { Construct } from 'constructs';
import { GROUP, RESERVED_ANNOTATIONS, RESERVED_LABELS } from '../api/index.ts';
import { AdmissionPolicy } from './admission-policy.ts';
import { labels } from './labels.ts';

export interface ReservedKeysProps {
  /** User name of the controller's ServiceAccount. */
  readonly account: string;
  readonly mode: 'audit' | 'deny';
  /** Other user names that may write the keys: restore tools, Fluid's controllers. */
  readonly allow: readonly string[];
}

const NAME = 'sluice-reserved-keys';

/** Kubernetes' own, which copy labels of templates and remove owners that are gone. */
const KUBERNETES = [
  'system:kube-controller-manager',
  ...['cronjob-controller', 'daemon-set-controller', 'generic-garbage-collector', 'job-controller', 'statefulset-controller'].map(
    (name) => `system:serviceaccount:kube-system:${name}`,
  ),
];

/**
 * Lets the controller alone write the keys by which it knows its workloads and volumes. Sluice is safe without it: docs/threat-model.md says
 * why each key may be believed. With it a forged object is refused, or on record, before anything has to see through it.
 *
 * An update that changes none of the keys passes, and so does one that removes an owner reference.
 */
export class ReservedKeys extends Construct {
  constructor(scope: Construct, id: string, { account, mode, allow }: ReservedKeysProps) {
    super(scope, id);
    new AdmissionPolicy(this, 'policy', {
      metadata: { name: NAME, labels: labels('controller') },
      resourceRules: [
        rule('', 'persistentvolumes', 'persistentvolumeclaims'),
        rule('apps', 'daemonsets', 'statefulsets'),
        rule('batch', 'cronjobs', 'jobs'),
      ],
      matchCondition: {
        name: 'by-others',
        expression: `!(request.userInfo.username in ${JSON.stringify([account, ...KUBERNETES, ...allow])})`,
      },
      checks: {
        variables: [
          ...['labels', 'annotations'].flatMap((field) => [
            { name: `${field}Before`, expression: `oldObject != null && ${orEmpty('oldObject', field)}` },
            { name: `${field}After`, expression: orEmpty('object', field) },
          ]),
          {
            name: 'ownersBefore',
            expression: 'oldObject != null && has(oldObject.metadata.ownerReferences) ? oldObject.metadata.ownerReferences : []',
          },
          { name: 'owners', expression: 'has(object.metadata.ownerReferences) ? object.metadata.ownerReferences : []' },
          changed('labels', RESERVED_LABELS),
          changed('annotations', RESERVED_ANNOTATIONS),
        ],
        validations: [
          unchanged('labels'),
          unchanged('annotations'),
          {
            expression: `variables.owners.all(owner, !owner.apiVersion.startsWith(${JSON.stringify(`${GROUP}/`)}) || variables.ownersBefore.exists(before, before.uid == owner.uid && before.kind == owner.kind && before.name == owner.name))`,
            message: `only Sluice may add an owner of ${GROUP}`,
            reason: 'Forbidden',
          },
        ],
      },
      actions: mode === 'deny' ? ['Deny', 'Audit'] : ['Warn', 'Audit'],
    });
  }
}

const rule = (group: string, ...resources: readonly string[]) => ({
  apiGroups: [group],
  apiVersions: ['*'],
  operations: ['CREATE', 'UPDATE'],
  resources,
  scope: '*',
});

const orEmpty = (object: string, field: string): string => `has(${object}.metadata.${field}) ? ${object}.metadata.${field} : {}`;

/** The keys that are in one of both alone, or in both with two values. */
const changed = (field: 'labels' | 'annotations', keys: readonly string[]) => ({
  name: `${field}Changed`,
  expression: `${JSON.stringify(keys)}.filter(key, key in variables.${field}After ? !(key in variables.${field}Before) || variables.${field}After[key] != variables.${field}Before[key] : key in variables.${field}Before)`,
});

const unchanged = (field: 'labels' | 'annotations') => ({
  expression: `variables.${field}Changed.size() == 0`,
  messageExpression: `"only Sluice may write the ${field} " + variables.${field}Changed.join(", ")`,
  reason: 'Forbidden',
});
