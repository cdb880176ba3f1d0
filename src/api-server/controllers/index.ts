import type { KubeObject } from '../../kube/types.ts';
import type { ApiServer } from '../index.ts';
import { controllerClient } from './client.ts';
import { reconcileDaemonSet } from './daemon-sets.ts';
import { reconcileDeployment, reconcileReplicaSet } from './deployments.ts';
import { collectGarbage } from './garbage.ts';
import { reconcileJob } from './jobs.ts';
import { runPod } from './kubelet.ts';
import { claimOf, claimsOf } from './indexes.ts';
import { labelsChanged } from './scheduling.ts';
import { endNamespace } from './namespaces.ts';
import { reconcileStatefulSet } from './stateful-sets.ts';
import type { Done, Task } from './task.ts';
import { syncClaim, syncVolume, unprotect } from './volumes.ts';

export type { Done, Task } from './task.ts';

/** A controller of Kubernetes that a test can pause. */
export type Controller =
  | 'garbage'
  | 'statefulsets'
  | 'daemonsets'
  | 'deployments'
  | 'replicasets'
  | 'jobs'
  | 'pods'
  | 'volumes'
  | 'claims'
  | 'protection'
  | 'namespaces';

/** The controllers, scheduler and kubelets of Kubernetes, in memory: they act only when a test calls them. */
export interface Controllers {
  /** Does the next thing that a controller would do. False if nothing is left to do. */
  step(): boolean;
  /** Runs all controllers until nothing is left to do. Returns the number of steps; throws after 10000. */
  settle(): number;
  /** The task of each controller, and the changes that it follows. */
  readonly tasks: Readonly<Record<Controller, Task>>;
  /** Controllers that do nothing. */
  readonly paused: Set<Controller>;
  /** Workloads or pods that do not become ready, `<namespace>/<name>`. */
  readonly unready: Set<string>;
}

/** More steps than any test needs: two controllers undo each other. */
const MOST = 10_000;

/**
 * Controllers for an API server in memory.
 * @throws Error from `settle`, after 10000 steps.
 * @example
 * const server = createApiServer();
 * const controllers = createControllers(server);
 * controllers.unready.add('ml/images-worker');
 * controllers.settle();
 */
export function createControllers(server: ApiServer): Controllers {
  const client = controllerClient(server, 'kube-controller-manager');
  const kubelet = controllerClient(server, 'kubelet');
  const { indexes } = client;
  const unready = new Set<string>();
  const paused = new Set<Controller>();
  const isUnready = ({ metadata: { namespace, name, ownerReferences = [] } }: KubeObject) =>
    [name, ...ownerReferences.map((owner) => owner.name)].some((each) => unready.has(`${namespace}/${each}`));
  const claimCalled = (name: string | undefined) => {
    const [namespace, claim = ''] = (name ?? '').split('/');
    return client.get('PersistentVolumeClaim', namespace, claim);
  };
  const of = (kind: string, work: (object: KubeObject) => Done): Task => ({ kinds: [kind], work });

  const tasks: Readonly<Record<Controller, Task>> = {
    garbage: {
      kinds: 'all',
      work: (object) => collectGarbage(client, object),
      concerned: ({ object, old }) => (object ? [] : indexes.dependents.of(old?.metadata.uid ?? '')),
    },
    statefulsets: of('StatefulSet', (set) => reconcileStatefulSet(client, set)),
    daemonsets: {
      kinds: ['DaemonSet'],
      work: (set) => reconcileDaemonSet(client, set),
      concerned(change) {
        const labels = labelsChanged(change);
        return labels === 'all' ? client.all('DaemonSet') : labels.flatMap((label) => indexes.daemonSetsByLabel.of(label));
      },
    },
    deployments: of('Deployment', (deployment) => reconcileDeployment(client, deployment)),
    replicasets: of('ReplicaSet', (set) => reconcileReplicaSet(client, set)),
    jobs: of('Job', (job) => reconcileJob(client, job)),
    pods: {
      kinds: ['Pod'],
      work: (pod) => runPod(kubelet, pod, isUnready),
      concerned: (change) => (labelsChanged(change).length > 0 ? indexes.podsByNode.of('') : []),
    },
    volumes: {
      kinds: ['PersistentVolume'],
      work: (volume) => syncVolume(client, volume),
      concerned: ({ object, old }) =>
        [object, old].flatMap((claim) => (isCore(claim, 'PersistentVolumeClaim') ? indexes.volumesByClaim.of(nameOf(claim)) : [])),
    },
    claims: {
      kinds: ['PersistentVolumeClaim'],
      work: (claim) => syncClaim(client, claim),
      concerned: ({ object, old }) =>
        [object, old].flatMap((volume) =>
          isCore(volume, 'PersistentVolume') ? [claimCalled(claimOf(volume)), ...indexes.claimsByVolume.of(volume.metadata.name)] : [],
        ),
    },
    protection: {
      kinds: ['PersistentVolumeClaim', 'PersistentVolume'],
      work: (object) => unprotect(client, object),
      concerned: ({ object, old }) => (isCore(old, 'Pod') && !object ? claimsOf(old).map(claimCalled) : []),
    },
    namespaces: {
      kinds: ['Namespace'],
      work: (namespace) => endNamespace(server, client, namespace),
      concerned({ object, old }) {
        const namespace = old?.metadata.namespace;
        return object || namespace === undefined || indexes.byNamespace.count(namespace) > 0
          ? []
          : [client.get('Namespace', undefined, namespace)];
      },
    },
  };
  const NAMES = Object.keys(tasks) as readonly Controller[];
  function work(name: Controller): boolean {
    const { kinds, work: act } = tasks[name];
    const lists = kinds === 'all' ? [server.all()] : kinds.map((kind) => server.all(kind));
    return lists.some((objects) => objects.some((object) => act(object) === true));
  }

  const step = () => NAMES.some((name) => !paused.has(name) && work(name));
  return {
    step,
    settle() {
      let done = 0;
      for (let before = -1; before < done; ) {
        before = done;
        // Each controller until it is done: searching its objects once for each step of all controllers would be slower.
        for (const name of NAMES)
          while (!paused.has(name) && work(name))
            if (++done > MOST) throw new Error(`the controllers in memory are not done after ${MOST} steps`);
      }
      return done;
    },
    tasks,
    paused,
    unready,
  };
}

const isCore = (object: KubeObject | undefined, kind: string): object is KubeObject => object?.kind === kind && object.apiVersion === 'v1';
const nameOf = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace}/${name}`;
