import { GROUP } from '../api/index.ts';
import type { Runtime } from '../constructs/index.ts';
import { FLUID_LEASES } from './fluid.ts';

/** One rule of RBAC, and why it is there. A test runs the real programs and compares what they asked for with these, both ways. */
export interface Right {
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Only objects of these names. */
  readonly names?: readonly string[];
  readonly because: string;
}

const RBAC = 'rbac.authorization.k8s.io';
const LEASES = 'coordination.k8s.io';
const MAKE = ['get', 'list', 'watch', 'create', 'patch', 'delete'];
/** By which replicas elect the one that leads. */
export const ELECTION_LEASE = 'sluice';

/** Of the controller, in every namespace. */
export function controllerRights(runtimes: readonly Runtime[], namespace: string): readonly Right[] {
  const kinds = runtimes.map(({ resource }) => resource.plural);
  const companions = [...new Set(runtimes.flatMap((runtime) => runtime.companions.map(({ plural }) => plural)))];
  return [
    {
      group: GROUP,
      resources: ['datasets'],
      verbs: ['get', 'list', 'watch', 'patch'],
      because: 'read afresh before deleting; finalizer, label, owner',
    },
    { group: GROUP, resources: kinds, verbs: ['get', 'list', 'watch', 'patch', 'delete'], because: 'the same; go with their Dataset' },
    { group: GROUP, resources: ['datasets', ...kinds].map((plural) => `${plural}/status`), verbs: ['patch'], because: 'what is' },
    ...(companions.length > 0
      ? [{ group: GROUP, resources: companions, verbs: ['get', 'list', 'watch'], because: 'what runtimes refer to' }]
      : []),
    { group: 'apps', resources: ['statefulsets', 'daemonsets'], verbs: MAKE, because: 'masters, workers, fuse pods' },
    {
      group: '',
      resources: ['configmaps', 'services', 'serviceaccounts', 'persistentvolumes', 'persistentvolumeclaims'],
      verbs: MAKE,
      because: 'what runtimes are made of',
    },
    { group: RBAC, resources: ['roles', 'rolebindings'], verbs: MAKE, because: 'rights of the loading jobs of JuiceFS' },
    // Never list or watch: who can list Secrets can read them all.
    {
      group: '',
      resources: ['secrets'],
      verbs: ['get', 'create', 'patch', 'delete'],
      because: 'whether they are there; copies of them, and configuration that is kept in one',
    },
    { group: '', resources: ['pods'], verbs: ['get', 'list', 'watch', 'patch'], because: 'who mounts; annotation of fuse pods' },
    // Who makes a Role must have what it grants: those of JuiceFS grant these three.
    { group: '', resources: ['pods/exec'], verbs: ['get', 'create', 'list'], because: 'probes, mounts, cleaning' },
    {
      group: '',
      resources: ['nodes'],
      verbs: ['get', 'list', 'watch', 'patch'],
      because: 'labels of nodes that hold a cache, and whose readers keep a client',
    },
    { group: '', resources: ['namespaces'], verbs: ['get'], names: [namespace], because: 'whether the lease has a home' },
    { group: 'events.k8s.io', resources: ['events'], verbs: ['create', 'patch'], because: 'what users are told' },
    // A list that asks for one name is allowed where that name is.
    { group: LEASES, resources: ['leases'], verbs: ['list'], names: [...FLUID_LEASES.values()], because: 'whether Fluid still runs' },
  ];
}

/** Of the controller, in its own namespace: the election. RBAC knows no names of what is yet to be created. */
export const electionRights: readonly Right[] = [
  { group: LEASES, resources: ['leases'], verbs: ['create'], because: 'the first to come makes the lease' },
  { group: LEASES, resources: ['leases'], verbs: ['get', 'list', 'watch', 'update'], names: [ELECTION_LEASE], because: 'the election' },
];

/** Of the plugin on every node. What it may change of a node, the admission policy says more closely than RBAC can. */
export function nodePluginRights(runtimes: readonly Runtime[]): readonly Right[] {
  const kinds = runtimes.map(({ resource }) => resource.plural);
  return [
    { group: '', resources: ['nodes'], verbs: ['get', 'patch'], because: 'the label that brings the fuse pod here' },
    { group: '', resources: ['persistentvolumes', 'persistentvolumeclaims'], verbs: ['get'], because: 'whose volume it is' },
    { group: GROUP, resources: ['datasets', ...kinds], verbs: ['get'], because: 'clean policy; what events are about' },
    // Never list: that would be all pods of all nodes. By name, a node can ask for those that it knows.
    { group: '', resources: ['pods'], verbs: ['get'], because: 'why the mount is not there yet; whether a pod still wants it' },
    { group: 'events.k8s.io', resources: ['events'], verbs: ['create', 'patch'], because: 'recovered mounts' },
  ];
}
