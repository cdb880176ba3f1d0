import { GROUP, operationKinds } from '../api/index.ts';
import { webhookNames } from '../api/webhook-names.ts';
import type { Runtime } from '../constructs/index.ts';
import { FLUID_LEASES } from './fluid.ts';

/** One rule of RBAC and its reason. A test compares these with the requests of the real programs, in both directions. */
export interface Right {
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Restricts the rule to objects of these names. */
  readonly names?: readonly string[];
  readonly because: string;
}

const RBAC = 'rbac.authorization.k8s.io';
const LEASES = 'coordination.k8s.io';
const MANAGE = ['get', 'list', 'watch', 'create', 'patch', 'delete'];
/** Name of the Lease by which replicas elect their leader. */
export const ELECTION_LEASE = 'sluice';

/** Rights of the controller in every namespace. */
export function controllerRights(runtimes: readonly Runtime[]): readonly Right[] {
  const kinds = runtimes.map(({ resource }) => resource.plural);
  const companions = [...new Set(runtimes.flatMap((runtime) => runtime.companions.map(({ plural }) => plural)))];
  return [
    {
      group: GROUP,
      resources: ['datasets'],
      verbs: ['get', 'list', 'watch', 'patch'],
      because: 'read again before a deletion; finalizer, label, owner',
    },
    { group: GROUP, resources: kinds, verbs: ['get', 'list', 'watch', 'patch', 'delete'], because: 'the same; deleted with their Dataset' },
    ...runtimes
      .filter(({ forReferences }) => forReferences)
      .map(({ resource }) => ({
        group: GROUP,
        resources: [resource.plural],
        verbs: ['create'],
        because: 'runtimes of Datasets that refer to others',
      })),
    {
      group: GROUP,
      resources: ['datasets', ...kinds, ...operationKinds.map(({ plural }) => plural)].map((plural) => `${plural}/status`),
      verbs: ['patch'],
      because: 'status',
    },
    ...(companions.length > 0
      ? [{ group: GROUP, resources: companions, verbs: ['get', 'list', 'watch'], because: 'objects that runtimes refer to' }]
      : []),
    {
      group: GROUP,
      resources: operationKinds.map(({ plural }) => plural),
      verbs: ['get', 'list', 'watch', 'patch', 'delete'],
      because:
        'operations; read again before their objects are created once more; finalizer, owner; deleted after `ttlSecondsAfterFinished`',
    },
    { group: 'batch', resources: ['jobs', 'cronjobs'], verbs: MANAGE, because: 'the Jobs of operations, and their schedules' },
    { group: 'apps', resources: ['statefulsets', 'daemonsets'], verbs: MANAGE, because: 'masters, workers, fuse pods' },
    ...runtimes.flatMap(({ fluidsWorkloads }) =>
      fluidsWorkloads
        ? [
            {
              group: fluidsWorkloads.group,
              resources: [fluidsWorkloads.plural],
              verbs: ['get', 'delete'],
              because: 'what Fluid created in place of StatefulSets, whose pods are taken over',
            },
          ]
        : [],
    ),
    {
      group: '',
      resources: ['configmaps', 'services', 'serviceaccounts', 'persistentvolumes', 'persistentvolumeclaims'],
      verbs: MANAGE,
      because: 'objects that runtimes consist of',
    },
    { group: RBAC, resources: ['roles', 'rolebindings'], verbs: MANAGE, because: 'rights of the loading jobs of JuiceFS' },
    // Never list or watch: the right to list Secrets is the right to read them all.
    {
      group: '',
      resources: ['secrets'],
      verbs: ['get', 'create', 'patch', 'delete'],
      because: 'whether they exist; copies of them, and configuration with secrets',
    },
    {
      group: '',
      resources: ['pods'],
      verbs: ['get', 'list', 'watch', 'patch'],
      because: 'which pods mount a Dataset; annotation of fuse pods; pods with sidecars; the image of its own pod',
    },
    // RBAC lets a client create only Roles that grant no more than it has: the Roles of JuiceFS grant these three.
    {
      group: '',
      resources: ['pods/exec'],
      verbs: ['get', 'create', 'list'],
      because: 'probes, mounts, cleaning; stop of sidecars whose pod has ended otherwise',
    },
    {
      group: '',
      resources: ['nodes'],
      verbs: ['get', 'list', 'watch', 'patch'],
      because: 'labels of nodes with a cache, and nodes whose pods keep a client',
    },
    { group: 'events.k8s.io', resources: ['events'], verbs: ['create', 'patch'], because: 'events for users' },
    // RBAC restricts no list by a field; a list names the UID of one object.
    { group: '', resources: ['events'], verbs: ['list'], because: 'why Kubernetes creates no pod of a Job or of a workload' },
    // RBAC allows a list with a field selector for one name by that name.
    {
      group: LEASES,
      resources: ['leases'],
      verbs: ['list'],
      names: [...FLUID_LEASES.values()],
      because: 'whether a controller of Fluid still runs',
    },
  ];
}

/**
 * Rights of the controller in its own namespace: the election. RBAC cannot restrict `create` to a name. A Role permits to read its own
 * namespace alone, whatever kustomize has made its name.
 */
export const electionRights: readonly Right[] = [
  { group: LEASES, resources: ['leases'], verbs: ['create'], because: 'the first replica creates the lease' },
  { group: LEASES, resources: ['leases'], verbs: ['get', 'list', 'watch', 'update'], names: [ELECTION_LEASE], because: 'the election' },
  { group: '', resources: ['namespaces'], verbs: ['get'], because: 'whether the namespace of the lease exists' },
];

/** Rights of the plugin on every node. The admission policy restricts its changes of nodes more closely than RBAC can. */
export function nodePluginRights(runtimes: readonly Runtime[]): readonly Right[] {
  const kinds = runtimes.map(({ resource }) => resource.plural);
  return [
    { group: '', resources: ['nodes'], verbs: ['get', 'patch'], because: 'the label that starts the fuse pod on the node' },
    { group: '', resources: ['persistentvolumes', 'persistentvolumeclaims'], verbs: ['get'], because: 'to which Dataset a volume belongs' },
    { group: GROUP, resources: ['datasets', ...kinds], verbs: ['get'], because: 'clean policy; objects of events' },
    // Never list: that would be all pods of all nodes. The plugin reads the pods of its node by name.
    { group: '', resources: ['pods'], verbs: ['get'], because: 'why a mount does not exist yet; whether a pod still needs it' },
    { group: 'events.k8s.io', resources: ['events'], verbs: ['create', 'patch'], because: 'events about recovered mounts' },
  ];
}

/**
 * Rights of the page in every namespace. It shows a viewer only what that viewer may list. No Secret and no ConfigMap is among them, and it
 * writes nothing: a dry run of an edit goes with the viewer's own token.
 */
export function uiRights(runtimes: readonly Runtime[]): readonly Right[] {
  const READ = ['get', 'list', 'watch'];
  const operations = operationKinds.map(({ plural }) => plural);
  return [
    {
      group: GROUP,
      resources: ['datasets', ...runtimes.map(({ resource }) => resource.plural), ...operations],
      verbs: READ,
      because: 'rows of the fleet; one Dataset, its runtime and its operations, read again',
    },
    { group: 'apps', resources: ['statefulsets', 'daemonsets'], verbs: ['list'], because: 'masters, workers and clients of one Dataset' },
    { group: 'batch', resources: ['jobs'], verbs: ['list'], because: 'the Jobs of its operations' },
    { group: '', resources: ['pods'], verbs: ['list', 'watch'], because: 'its pods and those that read it; caches and clients by node' },
    { group: '', resources: ['events'], verbs: ['list', 'watch'], because: 'why a pod or an object waits' },
    { group: '', resources: ['nodes'], verbs: ['list', 'watch'], because: 'which nodes are ready' },
    { group: 'storage.k8s.io', resources: ['csinodes'], verbs: ['list', 'watch'], because: 'where the node plugin is registered' },
    { group: 'authentication.k8s.io', resources: ['tokenreviews'], verbs: ['create'], because: 'who a viewer is' },
    { group: 'authorization.k8s.io', resources: ['subjectaccessreviews'], verbs: ['create'], because: 'what a viewer may list' },
  ];
}

/** Rights of the webhook in every namespace. */
export function webhookRights(runtimes: readonly Runtime[]): readonly Right[] {
  const WATCH = ['get', 'list', 'watch'];
  return [
    {
      group: '',
      resources: ['persistentvolumeclaims', 'persistentvolumes'],
      verbs: WATCH,
      because: 'which Datasets a pod mounts, and how; read again before a pod is denied',
    },
    {
      group: GROUP,
      resources: ['datasets'],
      verbs: WATCH,
      because: 'whether they are bound; read again before a pod is denied',
    },
    { group: GROUP, resources: runtimes.map(({ resource }) => resource.plural), verbs: ['list', 'watch'], because: 'where the cache is' },
    { group: 'apps', resources: ['daemonsets'], verbs: WATCH, because: 'what a sidecar consists of; read again before a pod is denied' },
    {
      group: 'admissionregistration.k8s.io',
      resources: ['mutatingwebhookconfigurations'],
      verbs: ['list', 'watch', 'patch'],
      names: [webhookNames.configuration],
      because: 'the CA bundle by which API servers trust the webhook',
    },
  ];
}

/** Further rights of a webhook that judges objects of Sluice's kinds. */
export function validationRights(runtimes: readonly Runtime[]): readonly Right[] {
  const companions = [...new Set(runtimes.flatMap((runtime) => runtime.companions.map(({ plural }) => plural)))];
  return [
    {
      group: GROUP,
      resources: [...runtimes.map(({ resource }) => resource.plural), ...companions],
      verbs: ['get'],
      because: 'an object is judged together with those that belong to it',
    },
    {
      group: 'admissionregistration.k8s.io',
      resources: ['validatingwebhookconfigurations'],
      verbs: ['list', 'watch', 'patch'],
      names: [webhookNames.validation],
      because: 'the CA bundle by which API servers trust the webhook',
    },
  ];
}

/**
 * Rights of the webhook in its own namespace. Not to create Secrets, which RBAC cannot restrict to a name: one of type
 * `kubernetes.io/service-account-token` is given the token of any ServiceAccount of the namespace.
 */
export const webhookRightsAtHome: readonly Right[] = [
  {
    group: '',
    resources: ['secrets'],
    verbs: ['get', 'list', 'watch', 'update'],
    names: [webhookNames.secret],
    because: 'the certificate, which replicas share and renew',
  },
  { group: '', resources: ['configmaps'], verbs: ['list', 'watch'], names: [webhookNames.profile], because: 'the lists of plugins' },
  { group: '', resources: ['pods'], verbs: ['get'], because: 'the image of its own pod' },
];
