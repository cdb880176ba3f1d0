import type { KubeObject } from '../../kube/types.ts';
import type { ApiServer } from '../index.ts';
import { collectGarbage } from './garbage.ts';
import { handsOn } from './hands.ts';
import { reconcileJob } from './jobs.ts';
import { runPod } from './kubelet.ts';
import { syncClaim, syncVolume, unprotect } from './volumes.ts';
import { reconcileDaemonSet, reconcileStatefulSet } from './workloads.ts';

/** A controller of Kubernetes that a test can pause. */
export type Controller = 'garbage' | 'statefulsets' | 'daemonsets' | 'jobs' | 'pods' | 'volumes' | 'claims' | 'protection' | 'namespaces';

/** The controllers, scheduler and kubelets of Kubernetes, in memory: they act only when a test calls them. */
export interface Controllers {
  /** Does the next thing that a controller would do. False if nothing is left to do. */
  step(): boolean;
  /** Runs all controllers until nothing is left to do. Returns the number of steps; throws after 10000. */
  settle(): number;
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
  const hands = handsOn(server, 'kube-controller-manager');
  const kubelet = handsOn(server, 'kubelet');
  const unready = new Set<string>();
  const paused = new Set<Controller>();
  const isUnready = ({ metadata: { namespace, name, ownerReferences = [] } }: KubeObject) =>
    [name, ...ownerReferences.map((owner) => owner.name)].some((each) => unready.has(`${namespace}/${each}`));
  const each = (kind: string, work: (object: KubeObject) => boolean) => () => server.all(kind).some(work);

  const work: Readonly<Record<Controller, () => boolean>> = {
    garbage: () => collectGarbage(hands, server.all()),
    statefulsets: each('StatefulSet', (set) => reconcileStatefulSet(hands, set)),
    daemonsets: each('DaemonSet', (set) => reconcileDaemonSet(hands, set)),
    jobs: each('Job', (job) => reconcileJob(hands, job)),
    pods: each('Pod', (pod) => runPod(kubelet, pod, isUnready)),
    volumes: each('PersistentVolume', (volume) => syncVolume(hands, volume)),
    claims: each('PersistentVolumeClaim', (claim) => syncClaim(hands, claim)),
    protection: () =>
      ['PersistentVolumeClaim', 'PersistentVolume'].some((kind) => server.all(kind).some((object) => unprotect(hands, object))),
    namespaces: each('Namespace', (namespace) => endNamespace(namespace)),
  };

  /** Empties a namespace that was deleted, then lets it go. */
  function endNamespace({ metadata: { name, deletionTimestamp } }: KubeObject): boolean {
    if (!deletionTimestamp) return false;
    const inside = server.all().filter(({ metadata }) => metadata.namespace === name);
    const staying = inside.find(({ metadata }) => !metadata.deletionTimestamp);
    if (staying) hands.delete(staying);
    else if (inside.length === 0) server.remove('Namespace', undefined, name);
    return staying !== undefined || inside.length === 0;
  }

  const step = () => (Object.keys(work) as Controller[]).some((name) => !paused.has(name) && work[name]());
  return {
    step,
    settle() {
      let done = 0;
      for (let before = -1; before < done; ) {
        before = done;
        // Each controller until it is done: searching its objects once for each step of all controllers would be slower.
        for (const name of Object.keys(work) as Controller[])
          while (!paused.has(name) && work[name]())
            if (++done > MOST) throw new Error(`the controllers in memory are not done after ${MOST} steps`);
      }
      return done;
    },
    paused,
    unready,
  };
}
