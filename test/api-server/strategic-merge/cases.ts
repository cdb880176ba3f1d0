/** Objects, and strategic merge patches of them: each form that kubectl sends, and what contradicts itself. */
import type { KubeObject, ResourceType } from '../../../src/kube/types.ts';
import { unique } from '../suite/objects.ts';
import { types } from '../tables/given.ts';

export interface Patched {
  readonly type: ResourceType;
  readonly object: KubeObject;
  /** By what the patch does. */
  readonly patches: Readonly<Record<string, object>>;
  readonly refused?: Readonly<Record<string, object>>;
  /** Patches of the status. */
  readonly status?: Readonly<Record<string, object>>;
}

const image = (name: string, tag = '1') => ({ name, image: `example.io/${name}:${tag}` });
const inPod = (spec: object) => ({ spec: { template: { spec } } });
const inMain = (container: object) => inPod({ containers: [{ name: 'main', ...container }] });
const names = (...all: readonly string[]) => all.map((name) => ({ name }));

/** An owner of a kind that does not exist: the garbage collector keeps its objects. */
const owner = (name: string) => ({ apiVersion: 'example.io/v1', kind: 'None', name, uid: name });

const POD = {
  initContainers: [image('first')],
  containers: [
    {
      ...image('main'),
      args: ['a', 'b'],
      command: ['c'],
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
        { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ],
      ports: [
        { name: 'web', containerPort: 80 },
        { name: 'admin', containerPort: 81 },
      ],
      volumeMounts: [
        { name: 'data', mountPath: '/data' },
        { name: 'conf', mountPath: '/conf' },
      ],
      resources: { requests: { cpu: '1', memory: '1Gi' } },
      livenessProbe: { httpGet: { port: 80, path: '/a' }, periodSeconds: 7 },
    },
    image('side'),
    image('last'),
  ],
  volumes: [
    { name: 'data', emptyDir: {} },
    { name: 'conf', configMap: { name: 'conf' } },
  ],
  imagePullSecrets: names('a', 'b'),
  hostAliases: [{ ip: '192.0.2.1', hostnames: ['a'] }],
  tolerations: [{ key: 'a', operator: 'Exists' }],
  nodeSelector: { a: '1', b: '2' },
  topologySpreadConstraints: [
    { topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', maxSkew: 1, labelSelector: { matchLabels: { app: 'a' } } },
  ],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
};

const ON_PODS: Readonly<Record<string, object>> = {
  'an image, as set image': inPod({ containers: [image('side', '2')] }),
  'an image with the order of containers, as apply': inPod({
    '$setElementOrder/containers': names('main', 'side', 'last'),
    containers: [image('side', '2')],
  }),
  'another order of containers': inPod({ '$setElementOrder/containers': names('last', 'main', 'side') }),
  'an order that does not name all': inPod({ '$setElementOrder/containers': names('last', 'main') }),
  'an order with names that nothing has': inPod({ '$setElementOrder/containers': names('last', 'none', 'side', 'main') }),
  'a container before others': inPod({ '$setElementOrder/containers': names('new', 'main', 'side', 'last'), containers: [image('new')] }),
  'a container between others that are not named': inPod({
    '$setElementOrder/containers': names('new', 'last'),
    containers: [image('new')],
  }),
  'a container without an order': inPod({ containers: [image('new')] }),
  'an annotation, as rollout restart': {
    spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' } } } },
  },
  'a replica more, as scale': { spec: { replicas: 0 } },
  'a container less': inPod({ containers: [{ $patch: 'delete', name: 'side' }] }),
  'a container less, and one more': inPod({
    '$setElementOrder/containers': names('main', 'new', 'last'),
    containers: [image('new'), { $patch: 'delete', name: 'side' }],
  }),
  'a container less that does not exist': inPod({ containers: [{ $patch: 'delete', name: 'none' }] }),
  'all containers': inPod({ containers: [{ $patch: 'replace' }, image('only')] }),
  'all containers, in an order': inPod({
    '$setElementOrder/containers': names('two', 'one'),
    containers: [{ $patch: 'replace' }, image('two'), image('one')],
  }),
  'no first containers': inPod({ initContainers: null }),
  'a variable, as set env': inMain({ env: [{ name: 'B', value: '3' }] }),
  'a variable of another source': inMain({ env: [{ name: 'C', value: '3', valueFrom: null }] }),
  'a variable less': inMain({ '$setElementOrder/env': names('A', 'C'), env: [{ $patch: 'delete', name: 'B' }] }),
  'variables of a container without any': inPod({
    containers: [
      {
        name: 'side',
        '$setElementOrder/env': names('B', 'A'),
        env: [
          { name: 'B', value: '1' },
          { name: 'A', value: '2' },
        ],
      },
    ],
  }),
  'all variables': inMain({ env: null }),
  'an order of variables alone, where there are none': inPod({ containers: [{ name: 'side', '$setElementOrder/env': names('A') }] }),
  'a port': inMain({ ports: [{ containerPort: 80, name: 'https' }, { containerPort: 82 }] }),
  'a port less': inMain({ '$setElementOrder/ports': [{ containerPort: 81 }], ports: [{ $patch: 'delete', containerPort: 80 }] }),
  'a mount': inMain({ volumeMounts: [{ mountPath: '/data', readOnly: true }] }),
  'arguments, which are one value': inMain({ args: ['c'], command: null }),
  'resources, which are a map': inMain({ resources: { limits: { cpu: '2' }, requests: { memory: null } } }),
  'all resources': inMain({ resources: { $patch: 'replace', limits: { cpu: '2' } } }),
  'no resources': inMain({ resources: { $patch: 'delete' } }),
  'a map with a directive, where there is none': inPod({
    containers: [{ name: 'side', resources: { $patch: 'replace', limits: { cpu: '2' } } }],
  }),
  'a map with a null, where there is none': inPod({ containers: [{ name: 'side', resources: { limits: { cpu: '2', memory: null } } }] }),
  'a probe of another kind': inMain({ livenessProbe: { $retainKeys: ['exec', 'periodSeconds'], exec: { command: ['a'] } } }),
  'a volume of another kind, as apply': inPod({
    '$setElementOrder/volumes': names('data', 'conf'),
    volumes: [{ $retainKeys: ['name', 'hostPath'], name: 'data', hostPath: { path: '/a' } }],
  }),
  'a volume of another kind, by a null': inPod({ volumes: [{ name: 'data', emptyDir: null, hostPath: { path: '/a' } }] }),
  'a secret for images': inPod({ imagePullSecrets: names('c') }),
  'an alias': inPod({
    hostAliases: [
      { ip: '192.0.2.1', hostnames: ['b'] },
      { ip: '192.0.2.2', hostnames: ['c'] },
    ],
  }),
  'tolerations, which are one value': inPod({ tolerations: [{ key: 'b', operator: 'Exists' }] }),
  'a node selector, which is a map': inPod({ nodeSelector: { a: null, c: '3' } }),
  'a spread': inPod({ topologySpreadConstraints: [{ topologyKey: 'zone', maxSkew: 2 }] }),
  'an affinity, whose lists are one value': inPod({
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
        ],
      },
    },
  }),
  'a strategy of another kind, as apply': { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
  'labels and annotations': { metadata: { labels: { a: null, b: '3', c: '4' }, annotations: { d: '5' } } },
  'a finalizer': { metadata: { finalizers: ['example.io/c', 'example.io/a'] } },
  'a finalizer less': { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.io/a'] } },
  'a finalizer less, with the order of the others': {
    metadata: { '$deleteFromPrimitiveList/finalizers': ['example.io/a'], '$setElementOrder/finalizers': ['example.io/b'] },
  },
  'an order of finalizers': { metadata: { '$setElementOrder/finalizers': ['example.io/b', 'example.io/a'] } },
  'an owner': { metadata: { ownerReferences: [owner('b')] } },
  'an owner less': { metadata: { ownerReferences: [{ $patch: 'delete', uid: 'a' }] } },
  'a removal that is no list': { metadata: { '$deleteFromPrimitiveList/finalizers': 'example.io/a' } },
  nothing: {},
};

/** Patches that contradict themselves, or the object. */
const REFUSED: Readonly<Record<string, object>> = {
  'a list whose entries have no key': inPod({ containers: [{ image: 'example.io/none:1' }] }),
  'an entry to delete without a key': inPod({ containers: [{ $patch: 'delete' }] }),
  'a directive that does not exist': inPod({ $patch: 'destroy' }),
  'a directive of an entry that does not exist': inPod({ containers: [{ name: 'main', $patch: 'destroy' }] }),
  'an entry to merge': inPod({ containers: [{ name: 'main', $patch: 'merge' }] }),
  'an order that is no list': inPod({ '$setElementOrder/containers': 'main' }),
  'an order against that of the patch': inPod({
    '$setElementOrder/containers': names('main', 'side'),
    containers: [image('side', '2'), image('main', '2')],
  }),
  'an order without what the patch has': inPod({ '$setElementOrder/containers': names('main'), containers: [image('side', '2')] }),
  'fields that it does not retain': { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate', rollingUpdate: { maxSurge: 1 } } } },
  'fields to retain that are no list': { spec: { strategy: { $retainKeys: 'type' } } },
  'entries of two shapes': inPod({ containers: ['main'] }),
};

const seed = (type: ResourceType, namespace: string, fields: object, metadata: object = {}): KubeObject => ({
  apiVersion: type.group === '' ? 'v1' : `${type.group}/v1`,
  kind: type.kind,
  metadata: { name: unique('patched'), ...(type.namespaced && { namespace }), ...metadata },
  ...fields,
});
const hook = (name: string) => ({
  name,
  clientConfig: { url: 'https://127.0.0.1:1/' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [],
  matchConditions: [{ name: 'a', expression: 'true' }],
});

export function patched(namespace: string): readonly Patched[] {
  const labels = { app: 'a' };
  return [
    {
      type: types.Deployment,
      object: seed(
        types.Deployment,
        namespace,
        { spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: POD } } },
        {
          labels: { a: '1', b: '2' },
          finalizers: ['example.io/a', 'example.io/b'],
          ownerReferences: [owner('a')],
        },
      ),
      patches: ON_PODS,
      refused: REFUSED,
      status: {
        'a condition': {
          status: {
            conditions: [
              { type: 'Mine', status: 'True' },
              { type: 'Available', status: 'False' },
            ],
          },
        },
      },
    },
    {
      type: types.Service,
      object: seed(types.Service, namespace, {
        spec: {
          selector: { a: '1' },
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 81 },
          ],
          externalIPs: ['192.0.2.1'],
        },
      }),
      patches: {
        'a port': { spec: { ports: [{ port: 81, targetPort: 8081 }] } },
        'a port less': { spec: { '$setElementOrder/ports': [{ port: 81 }], ports: [{ $patch: 'delete', port: 80 }] } },
        'a selector, which is a map': { spec: { selector: { b: '2' } } },
        'addresses, which are one value': { spec: { externalIPs: ['192.0.2.2'] } },
      },
    },
    {
      type: types.ConfigMap,
      object: seed(types.ConfigMap, namespace, { data: { a: '1', b: '2' } }),
      patches: {
        'a key, and one less': { data: { a: null, c: '3' } },
        'all keys': { data: { $patch: 'replace', c: '3' } },
        'no keys': { data: null },
      },
    },
    {
      type: types.Secret,
      object: seed(types.Secret, namespace, { stringData: { a: '1' } }),
      patches: { text: { stringData: { a: '2', b: '3' } }, 'text less': { data: { a: null } } },
    },
    {
      type: types.ServiceAccount,
      object: seed(types.ServiceAccount, namespace, { secrets: names('a', 'b'), imagePullSecrets: names('a', 'b') }),
      patches: { 'a secret': { secrets: names('c') }, 'secrets for images, which are one value': { imagePullSecrets: names('c') } },
    },
    {
      type: types.Node,
      object: seed(types.Node, namespace, { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
      patches: {
        'taints, which are one value': { spec: { taints: [{ key: 'b', effect: 'NoSchedule' }] } },
        'no schedule, as cordon': { spec: { unschedulable: true } },
      },
      status: {
        'a condition': {
          status: {
            '$setElementOrder/conditions': [{ type: 'Mine' }, { type: 'Ready' }],
            conditions: [
              { type: 'Mine', status: 'True' },
              { type: 'Ready', status: 'True' },
            ],
          },
        },
        'an address': { status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] } },
      },
    },
    {
      type: types.Namespace,
      object: seed(types.Namespace, namespace, {}),
      patches: { 'a finalizer': { metadata: { finalizers: ['example.io/a'] } } },
      status: { 'a condition': { status: { conditions: [{ type: 'Mine', status: 'True' }] } } },
    },
    {
      type: types.MutatingWebhookConfiguration,
      object: seed(types.MutatingWebhookConfiguration, namespace, { webhooks: [hook('a.example.io'), hook('b.example.io')] }),
      patches: {
        'a webhook': { webhooks: [{ name: 'b.example.io', timeoutSeconds: 3, matchConditions: [{ name: 'b', expression: 'true' }] }] },
        'rules, which are one value': {
          webhooks: [
            {
              name: 'a.example.io',
              rules: [{ apiGroups: ['example.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] }],
            },
          ],
        },
      },
    },
    {
      type: types.ValidatingAdmissionPolicy,
      object: seed(types.ValidatingAdmissionPolicy, namespace, {
        spec: {
          matchConstraints: {
            resourceRules: [{ apiGroups: ['example.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] }],
          },
          variables: [{ name: 'a', expression: '1' }],
          validations: [{ expression: 'true' }],
        },
      }),
      patches: {
        'a variable': { spec: { variables: [{ name: 'b', expression: '2' }] } },
        'validations, which are one value': { spec: { validations: [{ expression: '1 == 1' }] } },
      },
      status: {
        'conditions, which are one value': {
          status: { conditions: [{ type: 'Mine', status: 'True', reason: 'A', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
        },
      },
    },
    {
      type: types.Role,
      object: seed(types.Role, namespace, { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }),
      patches: { 'rules, which are one value': { rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }] } },
    },
    {
      type: types.Job,
      object: seed(types.Job, namespace, {
        spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [image('main')] } } },
      }),
      patches: { 'no suspension': { spec: { suspend: false } } },
    },
  ];
}
