import { FUSE_NODE_LABELS, FUSE_NODE_RECORDS, GROUP, nodeDaemons } from '../api/index.ts';
import { Construct } from 'constructs';
import { AdmissionPolicy } from './admission-policy.ts';
import { labels } from './labels.ts';

export interface NodePolicyProps {
  readonly name: string;
  /** The plugin's ServiceAccount. */
  readonly account: string;
}

/** The plugin's `reportingController` (src/csi/cluster/kube-node-cluster.ts). */
const EVENT_REPORTER = `${GROUP}/sluice-csi`;
/** Filled in by the API server from a token that is bound to a pod, and so to the pod's node. */
const NODE_OF_TOKEN = 'authentication.kubernetes.io/node-name';

/**
 * Restricts the node plugin to its own node, there to its own labels, and to events on Datasets in that node's name, which RBAC cannot. An
 * attacker who controls one node must not be able to attract pods, and with them their Secrets, from other nodes, nor report in their name.
 *
 * A token without the name of its node (Kubernetes 1.29, or a token that a user created) is rejected.
 */
export class NodePolicy extends Construct {
  constructor(scope: Construct, id: string, { name, account }: NodePolicyProps) {
    super(scope, id);
    const nodes = { apiGroups: [''], operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['nodes', 'nodes/*'] };
    const events = { apiGroups: ['events.k8s.io'], operations: ['CREATE', 'UPDATE'], resources: ['events'] };
    this.policy('policy', name, account, nodes, { variables: VARIABLES, validations: VALIDATIONS });
    this.policy('events', `${name}-events`, account, events, { validations: EVENT_VALIDATIONS });
  }

  private policy(id: string, name: string, account: string, requests: object, checks: object): void {
    new AdmissionPolicy(this, id, {
      metadata: { name, labels: labels('csi') },
      resourceRules: [{ ...requests, apiVersions: ['*'], scope: '*' }],
      matchCondition: { name: 'by-the-node-plugin', expression: `request.userInfo.username.matches(${quoted(usersOf(account))})` },
      checks,
      actions: ['Deny'],
    });
  }
}

/**
 * In any namespace, and with a prefix or a suffix: kustomize changes all of these and not an expression, which would then match nobody and
 * restrict nothing.
 */
const usersOf = (account: string): string => `^system:serviceaccount:[^:]+:[^:]*${account}[^:]*$`;
const quoted = (text: string): string => JSON.stringify(text);
const orEmpty = (object: string, field: string) => `has(${object}.metadata.${field}) ? ${object}.metadata.${field} : {}`;
const DAEMON_LABELS = nodeDaemons.map(({ nodeLabel }) => nodeLabel);
const isOurs = (key: string) =>
  `(${[`${key}.startsWith(${quoted(FUSE_NODE_LABELS)})`, ...DAEMON_LABELS.map((each) => `${key} == ${quoted(each)}`)].join(' || ')})`;
const isRecord = (key: string) => `${key}.startsWith(${quoted(FUSE_NODE_RECORDS)})`;
/** An expression: two maps, which are variables, differ in such keys alone. */
const onlyChanges = (before: string, after: string, isAllowed: (key: string) => string) =>
  [
    `variables.${before}.all(key, ${isAllowed('key')} || (key in variables.${after} && variables.${after}[key] == variables.${before}[key]))`,
    `variables.${after}.all(key, ${isAllowed('key')} || key in variables.${before})`,
  ].join(' && ');

const VARIABLES = [
  // A creation has no old object and a deletion no new one. Neither is ever allowed, and no expression may fail on it.
  { name: 'isUpdate', expression: 'request.operation == "UPDATE" && !has(request.subResource)' },
  { name: 'before', expression: `variables.isUpdate ? (${orEmpty('oldObject', 'labels')}) : {}` },
  { name: 'after', expression: `variables.isUpdate ? (${orEmpty('object', 'labels')}) : {}` },
  { name: 'noted', expression: `variables.isUpdate ? (${orEmpty('oldObject', 'annotations')}) : {}` },
  { name: 'notes', expression: `variables.isUpdate ? (${orEmpty('object', 'annotations')}) : {}` },
];

const isNodeOfToken = (name: string) => `request.userInfo.?extra[?${quoted(NODE_OF_TOKEN)}].orValue([]).exists(node, node == ${name})`;
const is = (object: string, field: string, value: string) => `has(${object}.${field}) && ${object}.${field} == ${value}`;

const VALIDATIONS = [
  {
    expression: isNodeOfToken('request.name'),
    message: `the node plugin may change only its own node, and a token without ${NODE_OF_TOKEN} has none`,
    reason: 'Forbidden',
  },
  {
    expression: ['variables.isUpdate', onlyChanges('before', 'after', isOurs)].join(' && '),
    message: `the node plugin may change only the labels ${[`${FUSE_NODE_LABELS}*`, ...DAEMON_LABELS].join(' and ')}`,
    reason: 'Forbidden',
  },
  {
    expression: ['variables.isUpdate', onlyChanges('noted', 'notes', isRecord)].join(' && '),
    message: `the node plugin may change only the annotations ${FUSE_NODE_RECORDS}*`,
    reason: 'Forbidden',
  },
  {
    expression: [
      'variables.isUpdate',
      'object.spec == oldObject.spec',
      ...['finalizers', 'ownerReferences'].map(
        (field) =>
          `has(object.metadata.${field}) == has(oldObject.metadata.${field}) && (!has(object.metadata.${field}) || object.metadata.${field} == oldObject.metadata.${field})`,
      ),
    ].join(' && '),
    message: 'the node plugin may change only labels and annotations of a node',
    reason: 'Forbidden',
  },
];

const EVENT_VALIDATIONS = [
  {
    expression: ['object', 'oldObject']
      .map((event) => `(${event} == null || (has(${event}.reportingInstance) && ${isNodeOfToken(`${event}.reportingInstance`)}))`)
      .concat(is('object', 'reportingController', quoted(EVENT_REPORTER)))
      .join(' && '),
    message: 'the node plugin may report events only for its own node',
    reason: 'Forbidden',
  },
  {
    expression: `has(object.regarding) && ${is('object.regarding', 'kind', quoted('Dataset'))} && ${is('object.regarding', 'apiVersion', quoted(`${GROUP}/v1alpha1`))}`,
    message: 'the node plugin may report events only on Datasets',
    reason: 'Forbidden',
  },
];
