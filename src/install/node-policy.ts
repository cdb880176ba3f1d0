import { Construct } from 'constructs';
import { KubeObject } from '../constructs/index.ts';
import { labels } from './labels.ts';

export interface NodePolicyProps {
  readonly name: string;
  /** User name of the plugin's ServiceAccount. */
  readonly account: string;
}

/** Filled in by the API server from a token that is bound to a pod, and so to the pod's node. */
const NODE_OF_TOKEN = 'authentication.kubernetes.io/node-name';

/**
 * Holds the node plugin to its own node, and there to the labels that are its business. RBAC can say neither: whoever takes over one
 * node must not be able to draw pods, and with them their Secrets, from all others.
 *
 * A token that does not say whose node it is for (Kubernetes 1.29, or one that somebody made by hand) is refused.
 */
export class NodePolicy extends Construct {
  constructor(scope: Construct, id: string, { name, account }: NodePolicyProps) {
    super(scope, id);
    const metadata = { name, labels: labels('csi') };
    new KubeObject(this, 'policy', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [
            {
              apiGroups: [''],
              apiVersions: ['*'],
              operations: ['CREATE', 'UPDATE', 'DELETE'],
              resources: ['nodes', 'nodes/*'],
              scope: '*',
            },
          ],
        },
        matchConditions: [{ name: 'by-the-node-plugin', expression: `request.userInfo.username == ${quoted(account)}` }],
        variables: VARIABLES,
        validations: VALIDATIONS,
      },
    });
    new KubeObject(this, 'binding', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: name, validationActions: ['Deny'] },
    });
  }
}

const quoted = (text: string): string => JSON.stringify(text);
const orEmpty = (object: string, field: string) => `has(${object}.metadata.${field}) ? ${object}.metadata.${field} : {}`;
const isOurs = (key: string) => `(${key}.startsWith("fluid.io/f-") || ${key} == "fluid.io/efc-sessmgr")`;

const VARIABLES = [
  // A creation has no old object and a deletion no new one; neither is ever allowed, and no expression may fail over it.
  { name: 'isUpdate', expression: 'request.operation == "UPDATE" && !has(request.subResource)' },
  { name: 'before', expression: `variables.isUpdate ? (${orEmpty('oldObject', 'labels')}) : {}` },
  { name: 'after', expression: `variables.isUpdate ? (${orEmpty('object', 'labels')}) : {}` },
];

const VALIDATIONS = [
  {
    expression: `request.userInfo.extra[?${quoted(NODE_OF_TOKEN)}].orValue([]).exists(node, node == request.name)`,
    message: `the node plugin may change its own node alone, and a token without ${NODE_OF_TOKEN} has none`,
    reason: 'Forbidden',
  },
  {
    expression: [
      'variables.isUpdate',
      `variables.before.all(key, ${isOurs('key')} || (key in variables.after && variables.after[key] == variables.before[key]))`,
      `variables.after.all(key, ${isOurs('key')} || key in variables.before)`,
    ].join(' && '),
    message: 'the node plugin may change labels fluid.io/f-* and fluid.io/efc-sessmgr alone',
    reason: 'Forbidden',
  },
  {
    expression: [
      'variables.isUpdate',
      'object.spec == oldObject.spec',
      ...['annotations', 'finalizers', 'ownerReferences'].map(
        (field) =>
          `has(object.metadata.${field}) == has(oldObject.metadata.${field}) && (!has(object.metadata.${field}) || object.metadata.${field} == oldObject.metadata.${field})`,
      ),
    ].join(' && '),
    message: 'the node plugin may change nothing of a node but labels',
    reason: 'Forbidden',
  },
];
