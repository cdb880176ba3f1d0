/** Objects of every kind that has columns of its own, in many states. */
import { type KubeObject, type ResourceType, resourceType } from '../../../src/kube/types.ts';
import { claim, daemonSet, pod, statefulSet, unique, volume } from '../suite/objects.ts';

const RBAC = 'rbac.authorization.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io';
const cluster = false;
/** Kinds that have columns of their own, and some that have none. */
export const types = {
  Pod: resourceType('', 'Pod', 'pods'),
  Node: resourceType('', 'Node', 'nodes', cluster),
  Namespace: resourceType('', 'Namespace', 'namespaces', cluster),
  Service: resourceType('', 'Service', 'services'),
  ConfigMap: resourceType('', 'ConfigMap', 'configmaps'),
  Secret: resourceType('', 'Secret', 'secrets'),
  ServiceAccount: resourceType('', 'ServiceAccount', 'serviceaccounts'),
  PersistentVolume: resourceType('', 'PersistentVolume', 'persistentvolumes', cluster),
  PersistentVolumeClaim: resourceType('', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
  ResourceQuota: resourceType('', 'ResourceQuota', 'resourcequotas'),
  Event: resourceType('', 'Event', 'events'),
  NewEvent: resourceType('events.k8s.io', 'Event', 'events'),
  StatefulSet: resourceType('apps', 'StatefulSet', 'statefulsets'),
  DaemonSet: resourceType('apps', 'DaemonSet', 'daemonsets'),
  Deployment: resourceType('apps', 'Deployment', 'deployments'),
  ReplicaSet: resourceType('apps', 'ReplicaSet', 'replicasets'),
  Job: resourceType('batch', 'Job', 'jobs'),
  CronJob: resourceType('batch', 'CronJob', 'cronjobs'),
  NetworkPolicy: resourceType('networking.k8s.io', 'NetworkPolicy', 'networkpolicies'),
  PodDisruptionBudget: resourceType('policy', 'PodDisruptionBudget', 'poddisruptionbudgets'),
  PriorityClass: resourceType('scheduling.k8s.io', 'PriorityClass', 'priorityclasses', cluster),
  Lease: resourceType('coordination.k8s.io', 'Lease', 'leases'),
  Role: resourceType(RBAC, 'Role', 'roles'),
  ClusterRole: resourceType(RBAC, 'ClusterRole', 'clusterroles', cluster),
  RoleBinding: resourceType(RBAC, 'RoleBinding', 'rolebindings'),
  ClusterRoleBinding: resourceType(RBAC, 'ClusterRoleBinding', 'clusterrolebindings', cluster),
  StorageClass: resourceType('storage.k8s.io', 'StorageClass', 'storageclasses', cluster),
  CSIDriver: resourceType('storage.k8s.io', 'CSIDriver', 'csidrivers', cluster),
  CustomResourceDefinition: resourceType('apiextensions.k8s.io', 'CustomResourceDefinition', 'customresourcedefinitions', cluster),
  MutatingWebhookConfiguration: resourceType(ADMISSION, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', cluster),
  ValidatingWebhookConfiguration: resourceType(ADMISSION, 'ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', cluster),
  ValidatingAdmissionPolicy: resourceType(ADMISSION, 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', cluster),
  ValidatingAdmissionPolicyBinding: resourceType(
    ADMISSION,
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
    cluster,
  ),
};
/** An object to create, and the status to write then. */
export interface Given {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly status?: object;
  /** Whether it is deleted then; a finalizer keeps it. */
  readonly isDeleted?: boolean;
}

const LONG_AGO = '2001-02-03T04:05:06Z';
const container = (name: string, more: object = {}) => ({ name, image: `example.io/${name}:1`, ...more });
const said = (name: string, state: object, more: object = {}) => ({
  name,
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  state,
  ...more,
});
const ran = { running: { startedAt: LONG_AGO } };
const waits = (reason: string) => ({ waiting: { reason } });
const died = (exitCode: number, more: object = {}) => ({ terminated: { exitCode, startedAt: LONG_AGO, finishedAt: LONG_AGO, ...more } });
const is = (type: string, status: string, reason?: string) => ({ type, status, ...(reason && { reason }) });

/** By name: the Pod's spec and its status. */
const PODS: Readonly<Record<string, readonly [spec: object, status?: object]>> = {
  unknown: [{}],
  gated: [{ schedulingGates: [{ name: 'example.io/a' }] }],
  runs: [
    { readinessGates: [{ conditionType: 'example.io/a' }, { conditionType: 'example.io/b' }] },
    {
      phase: 'Running',
      podIP: '10.0.0.7',
      podIPs: [{ ip: '10.0.0.7' }],
      nominatedNodeName: 'somewhere',
      conditions: [is('example.io/a', 'True'), is('example.io/b', 'False')],
      containerStatuses: [said('main', ran, { ready: true, restartCount: 3, lastState: died(1) })],
    },
  ],
  restarts: [{}, { phase: 'Running', containerStatuses: [said('main', ran, { restartCount: 2 })] }],
  pulls: [{}, { phase: 'Pending', containerStatuses: [said('main', waits('ImagePullBackOff'))] }],
  exits: [{}, { phase: 'Running', containerStatuses: [said('main', died(3))] }],
  signalled: [{}, { phase: 'Running', containerStatuses: [said('main', died(137, { signal: 9 }))] }],
  completes: [{ restartPolicy: 'Never' }, { phase: 'Succeeded', containerStatuses: [said('main', died(0, { reason: 'Completed' }))] }],
  fails: [{ restartPolicy: 'Never' }, { phase: 'Failed', reason: 'Evicted', message: 'no room' }],
  half: [
    { containers: [container('a'), container('b')] },
    {
      phase: 'Running',
      conditions: [is('Ready', 'True')],
      containerStatuses: [said('a', died(0, { reason: 'Completed' })), said('b', ran, { ready: true })],
    },
  ],
  'half-ready': [
    { containers: [container('a'), container('b')] },
    { phase: 'Running', containerStatuses: [said('a', died(0, { reason: 'Completed' })), said('b', ran, { ready: true })] },
  ],
  begins: [
    { initContainers: [container('one'), container('two')] },
    { phase: 'Pending', initContainerStatuses: [said('one', died(0)), said('two', waits('PodInitializing'), { restartCount: 1 })] },
  ],
  'begins-badly': [
    { initContainers: [container('one')] },
    { phase: 'Pending', initContainerStatuses: [said('one', died(2), { restartCount: 4, lastState: died(2) })] },
  ],
  'begins-killed': [
    { initContainers: [container('one')] },
    { phase: 'Pending', initContainerStatuses: [said('one', died(137, { signal: 9 }))] },
  ],
  'begins-named': [
    { initContainers: [container('one')] },
    { phase: 'Pending', initContainerStatuses: [said('one', died(1, { reason: 'Error' }))] },
  ],
  'begins-waiting': [
    { initContainers: [container('one')] },
    { phase: 'Pending', initContainerStatuses: [said('one', waits('CrashLoopBackOff'))] },
  ],
  'begins-again': [
    { initContainers: [container('one')] },
    {
      phase: 'Running',
      conditions: [is('Initialized', 'True')],
      initContainerStatuses: [said('one', waits('CrashLoopBackOff'))],
      containerStatuses: [said('main', ran, { ready: true })],
    },
  ],
  sidecar: [
    { initContainers: [container('proxy', { restartPolicy: 'Always' }), container('one')] },
    {
      phase: 'Running',
      initContainerStatuses: [
        said('proxy', ran, { ready: true, started: true, restartCount: 5, lastState: died(1) }),
        said('one', died(0), { restartCount: 2 }),
      ],
      containerStatuses: [said('main', ran, { ready: true, started: true })],
    },
  ],
  'sidecar-starts': [
    { initContainers: [container('proxy', { restartPolicy: 'Always' })] },
    { phase: 'Pending', initContainerStatuses: [said('proxy', ran, { started: false })] },
  ],
};

const labels = { app: 'a', tier: 'b' };
const selector = {
  matchLabels: labels,
  matchExpressions: [
    { key: 'in', operator: 'NotIn', values: ['z', 'y'] },
    { key: 'app', operator: 'In', values: ['a', 'b'] },
    { key: 'exists', operator: 'DoesNotExist' },
    { key: 'tier', operator: 'Exists' },
  ],
};
const template = { metadata: { labels }, spec: { containers: [container('main'), container('other')] } };

export function given(namespace: string): readonly Given[] {
  const of = (type: ResourceType, name: string, fields: object = {}, metadata: object = {}): Given => ({
    type,
    object: {
      apiVersion: type.group === '' ? 'v1' : `${type.group}/v1`,
      kind: type.kind,
      metadata: { name, ...(type.namespaced && { namespace }), ...metadata },
      ...fields,
    },
  });
  const job = (name: string, spec: object, status?: object): Given => ({
    // Another controller's: ours leaves the status to the test.
    ...of(types.Job, name, {
      spec: { managedBy: 'example.io/nobody', template: { spec: { restartPolicy: 'Never', containers: [container('main')] } }, ...spec },
    }),
    ...(status && { status }),
  });
  const service = (name: string, spec: object, status?: object): Given => ({
    ...of(types.Service, name, { spec }),
    ...(status && { status }),
  });
  const [bound, unbound] = [unique('tables'), unique('tables')];
  const seen = { involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a', fieldPath: 'data.a' } };
  const hook = (name: string) => ({
    name,
    clientConfig: { url: 'https://127.0.0.1:1/' },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    rules: [],
  });

  const deleted = ({ object: { metadata, ...fields }, ...rest }: Given): Given => ({
    ...rest,
    object: { ...fields, metadata: { ...metadata, finalizers: ['example.io/kept'] } } as KubeObject,
    isDeleted: true,
  });
  const lost = unique('tables');

  return [
    deleted({ type: types.Pod, object: pod(namespace, 'ends', { schedulerName: 'nobody' }), status: { phase: 'Running' } }),
    deleted({ type: types.Pod, object: pod(namespace, 'ended', { schedulerName: 'nobody' }), status: { phase: 'Succeeded' } }),
    deleted({
      type: types.Pod,
      object: pod(namespace, 'lost', { schedulerName: 'nobody' }),
      status: { phase: 'Running', reason: 'NodeLost' },
    }),
    deleted(job('ends', {})),
    deleted({ type: types.PersistentVolume, object: volume(lost, namespace, 'lost') }),
    deleted({ type: types.PersistentVolumeClaim, object: claim(namespace, 'lost', lost) }),
    {
      ...of(
        types.Node,
        unique('tables'),
        { spec: { unschedulable: true } },
        { labels: { 'node-role.kubernetes.io/b': '', 'kubernetes.io/role': 'a', 'node-role.kubernetes.io/a': '' } },
      ),
      status: {
        conditions: [is('Ready', 'Unknown')],
        addresses: [
          { type: 'Hostname', address: 'here' },
          { type: 'ExternalIP', address: '192.0.2.1' },
          { type: 'ExternalIP', address: '192.0.2.2' },
        ],
      },
    },
    of(types.Node, unique('tables')),
    ...Object.entries(PODS).map(([name, [spec, status]]) => ({
      type: types.Pod,
      object: pod(namespace, name, { schedulerName: 'nobody', ...spec }),
      ...(status && { status }),
    })),
    of(types.NetworkPolicy, 'all', { spec: { podSelector: {} } }),
    of(types.NetworkPolicy, 'some', { spec: { podSelector: selector } }),
    of(types.PodDisruptionBudget, 'least', { spec: { minAvailable: '50%', selector } }),
    of(types.PodDisruptionBudget, 'most', { spec: { maxUnavailable: 1, selector } }),
    of(types.PriorityClass, unique('tables'), { value: 7, preemptionPolicy: 'Never' }),
    of(types.ConfigMap, 'both', { data: { a: '1', b: '2' }, binaryData: { c: 'AA==' } }),
    of(types.ConfigMap, 'none'),
    of(types.Secret, 'opaque', { stringData: { a: '1' } }),
    of(types.Secret, 'login', { type: 'kubernetes.io/basic-auth', stringData: { username: 'a', password: 'b' } }),
    of(types.ServiceAccount, 'named', { secrets: [{ name: 'a' }, { name: 'b' }] }),
    of(types.ServiceAccount, 'plain'),
    of(types.Lease, 'held', { spec: { holderIdentity: 'me', leaseDurationSeconds: 10 } }),
    of(types.Lease, 'free', { spec: {} }),
    of(types.ResourceQuota, 'much', { spec: { hard: { 'limits.cpu': '1500m', 'requests.cpu': '1000m', pods: '5k', memory: '1024Mi' } } }),
    service('headless', {
      clusterIP: 'None',
      selector: { b: '2', a: '1' },
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 81, protocol: 'UDP' },
      ],
    }),
    service('external', { type: 'ExternalName', externalName: 'example.io' }),
    service('addresses', { externalIPs: ['192.0.2.1', '192.0.2.2'], ports: [{ port: 80 }] }),
    service('nodes', { type: 'NodePort', ports: [{ port: 80 }] }),
    service('pending', { type: 'LoadBalancer', ports: [{ port: 80 }] }),
    service(
      'balanced',
      { type: 'LoadBalancer', ports: [{ port: 80 }], allocateLoadBalancerNodePorts: false, externalIPs: ['192.0.2.3'] },
      {
        loadBalancer: {
          ingress: [{ ip: '192.0.2.9' }, { hostname: 'a.very-long-name.of-a-load-balancer.example.io' }, { ip: '192.0.2.4' }],
        },
      },
    ),
    { type: types.StatefulSet, object: statefulSet(namespace, 'one') },
    { type: types.DaemonSet, object: daemonSet(namespace, 'one', { nodeSelector: { nowhere: 'yes', never: 'no' } }) },
    of(types.Deployment, 'none', { spec: { replicas: 0, selector: { matchLabels: labels }, template } }),
    of(types.Deployment, 'some', {
      spec: { replicas: 2, selector, template: { ...template, spec: { ...template.spec, schedulerName: 'nobody' } } },
    }),
    of(types.ReplicaSet, 'one', { spec: { replicas: 0, selector, template } }),
    job('new', { completions: 3, parallelism: 2 }),
    job('runs', { completions: 3 }, { startTime: LONG_AGO, active: 1, succeeded: 2, ready: 0 }),
    job('parallel', { parallelism: 3 }),
    job('suspended', { suspend: true }, { conditions: [is('Suspended', 'True')] }),
    job(
      'complete',
      { completions: 1 },
      {
        startTime: LONG_AGO,
        completionTime: '2001-02-03T07:30:00Z',
        succeeded: 1,
        conditions: [is('SuccessCriteriaMet', 'True'), is('Complete', 'True')],
      },
    ),
    job('failed', {}, { startTime: LONG_AGO, failed: 1, conditions: [is('FailureTarget', 'True'), is('Failed', 'True')] }),
    job('failing', {}, { startTime: LONG_AGO, conditions: [is('FailureTarget', 'True')] }),
    {
      ...of(types.CronJob, 'nightly', {
        spec: {
          schedule: '0 3 * * *',
          timeZone: 'Etc/UTC',
          suspend: true,
          jobTemplate: { spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } } },
        },
      }),
      status: { lastScheduleTime: LONG_AGO },
    },
    of(types.CronJob, 'yearly', {
      spec: {
        schedule: '@yearly',
        suspend: true,
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container('main')] } } } },
      },
    }),
    { type: types.PersistentVolume, object: volume(bound, namespace, 'bound') },
    { type: types.PersistentVolumeClaim, object: claim(namespace, 'bound', bound) },
    { type: types.PersistentVolumeClaim, object: claim(namespace, 'unbound', '') },
    of(types.PersistentVolume, unbound, {
      spec: {
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        capacity: { storage: '1024Mi' },
        volumeMode: 'Block',
        csi: { driver: 'test.example', volumeHandle: unbound },
      },
    }),
    of(types.Event, 'classic', {
      ...seen,
      type: 'Warning',
      reason: 'Tried',
      message: ' with space around\n',
      source: { component: 'test', host: 'here' },
      firstTimestamp: LONG_AGO,
      lastTimestamp: '2011-02-03T04:05:06Z',
      count: 7,
    }),
    of(types.Event, 'bare', { involvedObject: { namespace } }),
    of(types.NewEvent, 'series', {
      regarding: seen.involvedObject,
      type: 'Normal',
      reason: 'Tried',
      action: 'Trying',
      note: 'once more',
      eventTime: '2001-02-03T04:05:06.000000Z',
      reportingController: 'example.io/test',
      reportingInstance: 'test-0',
      series: { count: 4, lastObservedTime: '2012-02-03T04:05:06.000000Z' },
    }),
    of(types.Role, 'reader', { rules: [] }),
    of(types.RoleBinding, 'reader', {
      roleRef: { apiGroup: RBAC, kind: 'Role', name: 'reader' },
      subjects: [
        { kind: 'User', apiGroup: RBAC, name: 'a' },
        { kind: 'User', apiGroup: RBAC, name: 'b' },
        { kind: 'Group', apiGroup: RBAC, name: 'g' },
        { kind: 'ServiceAccount', namespace, name: 'plain' },
      ],
    }),
    of(types.ClusterRoleBinding, unique('tables'), { roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'none' } }),
    of(types.StorageClass, unique('tables'), {
      provisioner: 'test.example',
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
      allowVolumeExpansion: true,
    }),
    of(
      types.StorageClass,
      unique('tables'),
      { provisioner: 'test.example' },
      { annotations: { 'storageclass.beta.kubernetes.io/is-default-class': 'true' } },
    ),
    of(types.CSIDriver, `${unique('tables')}.example.io`, {
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        storageCapacity: true,
        requiresRepublish: true,
        tokenRequests: [{ audience: 'a' }, { audience: 'b' }],
        volumeLifecycleModes: ['Ephemeral', 'Persistent'],
      },
    }),
    of(types.CSIDriver, `${unique('tables')}.example.io`, { spec: {} }),
    of(types.MutatingWebhookConfiguration, unique('tables'), { webhooks: [hook('a.example.io'), hook('b.example.io')] }),
    of(types.ValidatingWebhookConfiguration, unique('tables'), { webhooks: [hook('a.example.io')] }),
    of(types.ValidatingAdmissionPolicy, unique('tables'), {
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: {
          resourceRules: [{ apiGroups: ['example.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] }],
        },
        validations: [{ expression: 'true' }, { expression: '1 == 1' }],
      },
    }),
    of(types.ValidatingAdmissionPolicyBinding, unique('tables'), {
      spec: { policyName: 'none', paramRef: { name: 'a', parameterNotFoundAction: 'Allow' }, validationActions: ['Warn'] },
    }),
    of(types.ValidatingAdmissionPolicyBinding, unique('tables'), {
      spec: { policyName: 'none', paramRef: { name: 'a', namespace, parameterNotFoundAction: 'Allow' }, validationActions: ['Warn'] },
    }),
    of(types.ValidatingAdmissionPolicyBinding, unique('tables'), { spec: { policyName: 'none', validationActions: ['Warn'] } }),
  ];
}
