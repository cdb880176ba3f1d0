import type { KubeObject } from '../../kube/types.ts';
import type { ApiServer } from '../index.ts';
import { reconcileDeployment, reconcileReplicaSet } from './deployments.ts';
import { collectGarbage } from './garbage.ts';
import { controllerClient } from './client.ts';
import { reconcileJob } from './jobs.ts';
import { runPod } from './kubelet.ts';
import { syncClaim, syncVolume, unprotect } from './volumes.ts';
import { reconcileDaemonSet } from './daemon-sets.ts';
import { reconcileStatefulSet } from './stateful-sets.ts';

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
  /**
   * Looks at each object once, and does for each what there is to do; yields between them, so that its caller may serve others meanwhile.
   * Returns whether anything was done.
   * @param onFault is told of an object that its controller cannot read, which stops no other
   */
  pass(onFault: (error: unknown) => void): Generator<undefined, boolean>;
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
  const unready = new Set<string>();
  const paused = new Set<Controller>();
  const isUnready = ({ metadata: { namespace, name, ownerReferences = [] } }: KubeObject) =>
    [name, ...ownerReferences.map((owner) => owner.name)].some((each) => unready.has(`${namespace}/${each}`));

  /** Of which kinds each looks at the objects; garbage is found among all of them at once. */
  const tasks: Readonly<Record<Exclude<Controller, 'garbage'>, readonly [kinds: readonly string[], (object: KubeObject) => boolean]>> = {
    statefulsets: [['StatefulSet'], (set) => reconcileStatefulSet(client, set)],
    daemonsets: [['DaemonSet'], (set) => reconcileDaemonSet(client, set)],
    deployments: [['Deployment'], (deployment) => reconcileDeployment(client, deployment)],
    replicasets: [['ReplicaSet'], (set) => reconcileReplicaSet(client, set)],
    jobs: [['Job'], (job) => reconcileJob(client, job)],
    pods: [['Pod'], (pod) => runPod(kubelet, pod, isUnready)],
    volumes: [['PersistentVolume'], (volume) => syncVolume(client, volume)],
    claims: [['PersistentVolumeClaim'], (claim) => syncClaim(client, claim)],
    protection: [['PersistentVolumeClaim', 'PersistentVolume'], (object) => unprotect(client, object)],
    namespaces: [['Namespace'], (namespace) => endNamespace(namespace)],
  };
  const NAMES = ['garbage', ...Object.keys(tasks)] as readonly Controller[];
  function work(name: Controller): boolean {
    if (name === 'garbage') return collectGarbage(client, server.all());
    const [kinds, act] = tasks[name];
    return kinds.some((kind) => server.all(kind).some(act));
  }

  /** Empties a namespace that was deleted, then lets it go. */
  function endNamespace({ metadata: { name, deletionTimestamp } }: KubeObject): boolean {
    if (!deletionTimestamp) return false;
    const inside = server.all().filter(({ metadata }) => metadata.namespace === name);
    const staying = inside.find(({ metadata }) => !metadata.deletionTimestamp);
    if (staying) client.delete(staying);
    else if (inside.length === 0) server.remove('Namespace', undefined, name);
    return staying !== undefined || inside.length === 0;
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
    *pass(onFault) {
      let did = false;
      for (const name of NAMES.filter((each) => !paused.has(each))) {
        if (name === 'garbage')
          while (collectGarbage(client, server.all())) {
            did = true;
            yield;
          }
        else for (const kind of tasks[name][0]) did = (yield* eachOf(server, kind, tasks[name][1], onFault)) || did;
      }
      return did;
    },
    paused,
    unready,
  };
}

/** Does what there is to do for each object of a kind; one for which that fails is left alone. Returns whether anything was done. */
export function* eachOf(
  server: ApiServer,
  kind: string,
  work: (object: KubeObject) => boolean,
  onFault: (error: unknown) => void,
): Generator<undefined, boolean> {
  let did = false;
  for (const object of server.all(kind)) {
    const { namespace, name } = object.metadata;
    // What was changed meanwhile has its turn in the next pass.
    if (server.get(kind, namespace, name) !== object) did = true;
    else
      try {
        did = work(object) || did;
      } catch (error) {
        onFault(
          new Error(`${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}: ${(error as Error).message}`, { cause: error }),
        );
      }
    yield;
  }
  return did;
}
