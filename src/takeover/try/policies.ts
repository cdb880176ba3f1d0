/**
 * Admission policies that refuse the writes of Fluid's controllers in the namespaces that Sluice serves for a try. Fluid has no setting by
 * which its controllers leave a namespace alone: docs/adr/0043-a-try-is-an-admission-policy.md.
 */
import { cacheNodeLabel, cacheSizeNodeLabel, exclusiveNodeLabel, exclusiveNodeValue, GROUP, typedCacheNodeLabel } from '../../api/index.ts';
import { labels } from '../../install/labels.ts';
import { type KubeObject, resourceType } from '../../kube/types.ts';

/** The names of policies and bindings begin with it. */
export const FENCE = 'sluice-takeover-try';
/** A ConfigMap that the policy refuses to everybody, and only as a dry run: whoever is refused knows that the policy is in force. */
export const PROBE = `${FENCE}-probe`;

const API = 'admissionregistration.k8s.io';
export const Policy = resourceType(API, 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', false);
export const Binding = resourceType(API, 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', false);

/** Whom the policies keep off what. */
export interface Fence {
  readonly namespaces: readonly string[];
  /** User names of Fluid's controllers. */
  readonly users: readonly string[];
}

/** The policies and their bindings, in the order in which they are applied. */
export const fenceObjects = (fence: Fence): readonly KubeObject[] => [
  ...namespacedWrites(fence),
  ...volumeWrites(fence),
  nodePolicy(fence),
  ...fence.namespaces.map(nodeBinding),
];

const quoted = (value: unknown): string => JSON.stringify(value);
const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].toSorted();
const byFluid = ({ users }: Fence): string => `request.userInfo.username in ${quoted(sorted(users))}`;
const REFUSED = 'Sluice serves this namespace for a try (sluice takeover try), and Fluid leaves it alone';
const ALL = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };

function policy(name: string, spec: object): KubeObject {
  return { apiVersion: `${API}/v1`, kind: Policy.kind, metadata: { name, labels: labels('controller') }, spec };
}
function binding(name: string, policyName: string, spec: object): KubeObject {
  return {
    apiVersion: `${API}/v1`,
    kind: Binding.kind,
    metadata: { name, labels: labels('controller') },
    spec: { policyName, validationActions: ['Deny'], ...spec },
  };
}
const rule = (apiGroup: string, operations: readonly string[], resources: readonly string[], scope: string) => ({
  apiGroups: [apiGroup],
  apiVersions: ['*'],
  operations,
  resources,
  scope,
});

/** Everything in the namespaces: subresources such as status and exec, and events too. */
function namespacedWrites(fence: Fence): readonly KubeObject[] {
  const isProbe = `request.resource.resource == "configmaps" && request.name == ${quoted(PROBE)} && request.dryRun == true`;
  return [
    policy(FENCE, {
      failurePolicy: 'Fail',
      matchConstraints: { ...ALL, resourceRules: [rule('*', ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'], ['*/*'], 'Namespaced')] },
      matchConditions: [{ name: 'by-fluid', expression: `${byFluid(fence)} || (${isProbe})` }],
      validations: [{ expression: 'false', message: REFUSED, reason: 'Forbidden' }],
    }),
    // By the label that the API server itself gives to each namespace, which no client can remove.
    binding(FENCE, FENCE, {
      matchResources: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: sorted(fence.namespaces) }],
        },
        objectSelector: {},
      },
    }),
  ];
}

/** Volumes whose claims are in the namespaces. */
function volumeWrites(fence: Fence): readonly KubeObject[] {
  const name = `${FENCE}-volumes`;
  const isElsewhere = (volume: string) =>
    `(${volume} == null || !has(${volume}.spec.claimRef) || !has(${volume}.spec.claimRef.namespace) || ` +
    `!(${volume}.spec.claimRef.namespace in ${quoted(sorted(fence.namespaces))}))`;
  return [
    policy(name, {
      failurePolicy: 'Fail',
      matchConstraints: {
        ...ALL,
        resourceRules: [rule('', ['CREATE', 'UPDATE', 'DELETE'], ['persistentvolumes', 'persistentvolumes/status'], '*')],
      },
      matchConditions: [{ name: 'by-fluid', expression: byFluid(fence) }],
      validations: [{ expression: ['object', 'oldObject'].map(isElsewhere).join(' && '), message: REFUSED, reason: 'Forbidden' }],
    }),
    binding(name, name, {}),
  ];
}

/** Types of Fluid's runtimes, as in its labels of nodes. */
const TYPES = ['alluxio', 'cache', 'efc', 'goosefs', 'jindo', 'juicefs', 'thin', 'vineyard'];
const ANY = { namespace: 'n', name: 'n', uid: '', collides: false };
/** The parts of keys of node labels before the namespace of a Dataset. */
const PREFIXES = [
  cacheNodeLabel(ANY),
  ...TYPES.flatMap((type) => [
    typedCacheNodeLabel(type, ANY),
    ...(['m', 'd', 't'] as const).map((medium) => cacheSizeNodeLabel(type, medium, ANY)),
  ]),
].map((key) => key.slice(0, -'n-n'.length));

const labelsOf = (node: string): string => `has(${node}.metadata.labels) ? ${node}.metadata.labels : {}`;
const isSame = (key: string): string =>
  `(${key} in variables.before) == (${key} in variables.after) && (!(${key} in variables.before) || variables.before[${key}] == variables.after[${key}])`;

/**
 * Labels of the namespaces' Datasets on nodes. The Datasets are its parameters, since a namespace and a name are joined in a key: `s-ml-a-x`
 * may be of `ml/a-x` or of `ml-a/x`. A request that it cannot judge passes, as a node is everybody's: the label that Fluid would write is
 * the one that Sluice writes.
 */
function nodePolicy(fence: Fence): KubeObject {
  const exclusive = quoted(exclusiveNodeLabel);
  const separator = exclusiveNodeValue(ANY).slice(1, -1);
  return policy(`${FENCE}-nodes`, {
    failurePolicy: 'Ignore',
    paramKind: { apiVersion: `${GROUP}/v1alpha1`, kind: 'Dataset' },
    matchConstraints: { ...ALL, resourceRules: [rule('', ['UPDATE'], ['nodes'], '*')] },
    matchConditions: [{ name: 'by-fluid', expression: byFluid(fence) }],
    variables: [
      { name: 'before', expression: labelsOf('oldObject') },
      { name: 'after', expression: labelsOf('object') },
      { name: 'named', expression: 'params.metadata.namespace + "-" + params.metadata.name' },
      {
        name: 'exclusive',
        expression: `[params.metadata.namespace + ${quoted(separator)} + params.metadata.name, string(params.metadata.uid)]`,
      },
      { name: 'prefixes', expression: quoted(PREFIXES) },
    ],
    validations: [
      {
        expression: `variables.prefixes.all(prefix, [prefix + variables.named, prefix + string(params.metadata.uid)].all(key, ${isSame('key')}))`,
        message: REFUSED,
        reason: 'Forbidden',
      },
      {
        expression: `(${isSame(exclusive)}) || ![variables.before, variables.after].exists(each, ${exclusive} in each && each[${exclusive}] in variables.exclusive)`,
        message: REFUSED,
        reason: 'Forbidden',
      },
    ],
  });
}

const nodeBinding = (namespace: string): KubeObject =>
  binding(`${FENCE}-nodes-${namespace}`, `${FENCE}-nodes`, { paramRef: { namespace, selector: {}, parameterNotFoundAction: 'Allow' } });
