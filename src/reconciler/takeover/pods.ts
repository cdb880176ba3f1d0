import { controllerOf, datasetId, type Identity, isWatchedPod, label, ownerUid } from '../../api/index.ts';
import type { Clock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isConflict, isNotFound } from '../../kube/errors.ts';
import { selectorOf } from '../../kube/selector.ts';
import type { KubeObject, Log } from '../../kube/types.ts';
import { listAll } from '../../kube/watch/pages.ts';
import { ownedKinds, ownedType, Pod } from '../../planning/kinds.ts';
import type { Owned } from '../../planning/owner.ts';
import { podsCreated, podsWanted } from '../../planning/views.ts';
import type { Store } from '../kubernetes/store/store.ts';
import type { LiveObject } from '../world.ts';

/**
 * Pods that Fluid's workloads created without the label by which pods are watched: all before Fluid 1.0.5, and to this day those of
 * CacheRuntimes and the masters and clients of EFC. They get that label, once; nothing else of a pod changes.
 *
 * threat-model: R-pods
 */
export interface PodTakeover {
  /**
   * Workloads that are controllers of more pods than a watch shows, and are to be searched: those that Fluid left at once, so that a pass
   * finds their pods. Those that have our label only when the watch has had its time: Fluid's template may have created a pod after the
   * others were labelled. A workload whose pods are all watched costs nothing.
   */
  due(owner: Owned, workloads: readonly LiveObject[]): readonly LiveObject[];
  /**
   * Labels the pods of these workloads that no watch shows.
   * @throws ApiError if pods of a workload that Fluid left cannot be listed or labelled
   */
  adopt(owner: Owned, identity: Identity, due: readonly LiveObject[]): Promise<void>;
  /** After how many milliseconds a workload of this runtime is due; undefined for most. */
  dueInMs(uid: string): number | undefined;
  forget(uid: string): void;
}

/** A workload some of whose pods no watch shows. */
interface Lacking {
  /** Monotonic. */
  readonly since: number;
  /** How many pods there were when they were searched. */
  readonly searched?: number;
  /** The workload was created a moment ago, and its pods with it: no pass is worth while for the watch of pods alone. */
  readonly isNew?: boolean;
}

/** How long the watch of pods may be behind that of workloads. */
const BEHIND_MS = 5000;
const NEW_MS = 60_000;
/** A DaemonSet may have thousands of pods. */
const AT_ONCE = 8;

export function createPodTakeover(
  client: KubeClient,
  store: Pick<Store, 'pods' | 'adopted'>,
  clock: Pick<Clock, 'monotonic' | 'wall'>,
  log: Log,
): PodTakeover {
  /** By UID of the workload, by UID of the runtime. */
  const lacking = new Map<string, ReadonlyMap<string, Lacking>>();

  async function search(workload: LiveObject, id: string): Promise<void> {
    const { uid, namespace } = workload.metadata;
    const isWhole = 'selector' in (workload['spec'] as object);
    const whole = isWhole ? workload : await client.get(ownedType(workload.kind), workload.metadata);
    const isUnlabelled = (pod: KubeObject) => controllerOf(pod)?.uid === uid && !isWatchedPod(pod);
    const selection = { namespace, labelSelector: selectorOf(whole), metadataOnly: true };
    const { items } = await listAll(client, Pod, selection, (page) => page.filter(isUnlabelled).map(({ metadata }) => metadata));
    for (let i = 0; i < items.length; i += AT_ONCE)
      await Promise.all(
        items.slice(i, i + AT_ONCE).map(async (pod) => {
          const body = { metadata: { uid: pod.uid, labels: { [label.datasetId]: id } } };
          try {
            store.adopted(await client.patch(Pod, pod, body, { type: 'merge' }));
          } catch (error) {
            // The pod is gone; a successor has the template of its time. A conflict may also be that of a server which is overloaded.
            if (!isNotFound(error) && !(isConflict(error) && (await isGone(pod)))) throw error;
          }
        }),
      );
    if (items.length > 0) log.info({ workload: workload.metadata.name, namespace, pods: items.length }, 'labelled pods that Fluid created');
  }

  const isGone = ({ namespace, name, uid }: KubeObject['metadata']): Promise<boolean> =>
    client.get(Pod, { namespace, name }, { metadataOnly: true }).then(
      ({ metadata }) => metadata.uid !== uid,
      (error: unknown) => {
        if (isNotFound(error)) return true;
        throw error;
      },
    );

  // The status of Fluid's own kind is that of a controller which is stopped.
  const createdOf = (workload: LiveObject): number => (workload.kind in ownedKinds ? podsCreated(workload) : podsWanted(workload));
  const isLacking = (workload: LiveObject): boolean => store.pods(workload.metadata).length < createdOf(workload);
  const isFluids = (owner: Owned, workload: LiveObject): boolean => ownerUid(workload) !== owner.uid;

  return {
    due(owner, workloads) {
      const before = lacking.get(owner.uid);
      const lacks = workloads.filter(isLacking);
      if (lacks.length === 0 && !before) return lacks;
      const now = clock.monotonic();
      const after = new Map<string, Lacking>();
      for (const { metadata } of lacks) {
        const isNew = clock.wall() - Date.parse(metadata.creationTimestamp ?? '') < NEW_MS;
        after.set(metadata.uid, before?.get(metadata.uid) ?? { since: now, isNew });
      }
      if (after.size > 0) lacking.set(owner.uid, after);
      else lacking.delete(owner.uid);
      return lacks.filter((workload) => {
        const { since = now, searched } = after.get(workload.metadata.uid) ?? {};
        return searched !== createdOf(workload) && (isFluids(owner, workload) || now - since >= BEHIND_MS);
      });
    },
    async adopt(owner, identity, due) {
      for (const workload of due) {
        const { name, uid } = workload.metadata;
        try {
          await search(workload, datasetId(identity));
        } catch (error) {
          if (isFluids(owner, workload)) throw error;
          log.warn({ workload: name, namespace: owner.namespace, error }, 'pods that no watch shows were not found');
        }
        const known = lacking.get(owner.uid);
        const lacks = known?.get(uid);
        if (known && lacks) lacking.set(owner.uid, new Map(known).set(uid, { ...lacks, searched: createdOf(workload) }));
      }
    },
    dueInMs(uid) {
      const waits = [...(lacking.get(uid)?.values() ?? [])].flatMap(({ since, searched, isNew }) =>
        searched === undefined && !isNew ? Math.max(0, since + BEHIND_MS - clock.monotonic()) : [],
      );
      return waits.length > 0 ? Math.min(...waits) : undefined;
    },
    forget: (uid) => void lacking.delete(uid),
  };
}
