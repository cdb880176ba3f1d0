import { isDeepStrictEqual } from 'node:util';
import { controllerOf, label, ownerUid } from '../../../api/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { Key, LiveObject } from '../../world.ts';
import { Pod } from '../../../planning/kinds.ts';
import { createGroups } from './groups.ts';
import type { Inventories } from './inventories.ts';
import type { Watched, Watches } from './watches.ts';
import type { ObjectChange } from '../../../kube/watch/collection.ts';
import { hasOlderTemplate } from '../../../planning/views.ts';

/** The watch of the pods of runtimes, by the workload that is their controller. */
export interface Pods {
  of(workload: { readonly uid: string; readonly namespace?: string | undefined }): readonly KubeObject[];
  /**
   * Pods without a controller that have the name of a StatefulSet and an ordinal: it is to adopt them, or was deleted and left them. They run
   * all the same.
   */
  strays(statefulSet: { readonly name: string; readonly namespace?: string | undefined }): readonly KubeObject[];
  /** A pod that a write of ours gave the label by which pods are watched: `of` has it from now on. */
  adopted(pod: KubeObject): void;
  /** Whether the runtime of this UID is woken once one of its fuse pods is ready. They come and go with their users. */
  awaitFuse(uid: string, isAwaited: boolean): void;
}

interface PodsOptions {
  readonly inventories: Pick<Inventories, 'ownerOf'>;
  /** The watches of workloads, by kind. */
  readonly owned: ReadonlyMap<string, Pick<Watched, 'shown'>>;
  readonly onKey: (key: Key, because: string) => void;
  /** Called with the UID of a workload, one of whose pods came, went, ended, or was scheduled. */
  readonly onPlacement: (moved: { readonly workload: string; readonly namespace: string | undefined }) => void;
}

/** threat-model: R-pods */
export function watchPods(
  watches: Pick<Watches, 'watch' | 'remember' | 'newest'>,
  { inventories, owned, onKey, onPlacement }: PodsOptions,
): Pods {
  const byWorkload = createGroups<KubeObject>();
  const strays = createGroups<KubeObject>();
  const awaited = new Set<string>();

  function onPod(change: ObjectChange<KubeObject>): void {
    const { object } = change;
    const workload = controllerOf(object);
    const { namespace, name } = object.metadata;
    if (!workload) {
      const stray = groupOf(name.replace(ORDINAL, ''), namespace);
      if (change.type === 'deleted') strays.delete(stray, object);
      else if (ORDINAL.test(name)) strays.set(stray, object);
      return;
    }
    const group = groupOf(workload.uid, namespace);
    if (change.type === 'deleted') byWorkload.delete(group, object);
    else byWorkload.set(group, object);
    if (change.type !== 'changed' || isElsewhere(change.old, object)) onPlacement({ workload: workload.uid, namespace });
    const live = owned.get(workload.kind)?.shown(namespace, workload.name) as LiveObject | undefined;
    const owner = live && ownerUid(live);
    const key = owner && inventories.ownerOf(owner, object);
    if (key && isNews(change, live, awaited.has(owner))) onKey(key, `Pod ${object.metadata.name} ${change.type}`);
  }

  watches.watch(
    Pod,
    (change) => {
      if (change.type !== 'changed' || controllerOf(change.old)?.uid === controllerOf(change.object)?.uid) return onPod(change);
      // The pod's workload released it, or another adopted it.
      onPod({ type: 'deleted', object: change.old });
      onPod({ type: 'added', object: change.object });
    },
    { label: label.datasetId },
  );

  return {
    of: ({ uid, namespace }) => byWorkload.of(groupOf(uid, namespace)),
    strays: ({ name, namespace }) => strays.of(groupOf(name, namespace)).filter(isRunning),
    adopted(pod) {
      const { namespace, name, uid } = pod.metadata;
      watches.remember(pod);
      const newest = watches.newest(Pod.kind, namespace, name);
      const workload = newest && controllerOf(newest);
      if (!workload || newest.metadata.uid !== uid) return;
      byWorkload.set(groupOf(workload.uid, namespace), newest);
      onPlacement({ workload: workload.uid, namespace });
    },
    awaitFuse: (uid, isAwaited) => void (isAwaited ? awaited.add(uid) : awaited.delete(uid)),
  };
}

const ORDINAL = /-\d+$/;
const isRunning = ({ metadata, phase }: KubeObject): boolean => !metadata.deletionTimestamp && phase !== 'Failed' && phase !== 'Succeeded';

/** A pod may name a workload of another namespace as its controller, and so may thousands: they are never looked at. */
const groupOf = (uid: string, namespace: string | undefined): string => `${namespace}/${uid}`;

/** Whether a pod was scheduled to a node, or ended, between these two versions. */
const isElsewhere = (old: KubeObject, now: KubeObject): boolean =>
  old['nodeName'] !== now['nodeName'] || (old['phase'] === 'Failed') !== (now['phase'] === 'Failed');

/** Whether a pass may decide differently because of this pod. */
function isNews(change: ObjectChange<KubeObject>, workload: LiveObject, isAwaited: boolean): boolean {
  const { object: pod } = change;
  if (workload.kind === 'DaemonSet' && !hasOlderTemplate(workload, pod))
    return (isAwaited && pod['ready'] === true) || !isDeepStrictEqual(troublesBefore(change), troublesNow(change));
  return change.type !== 'changed' || !isDeepStrictEqual(whatCounts(change.old), whatCounts(pod));
}
const troublesBefore = (change: ObjectChange<KubeObject>): unknown =>
  change.type === 'added' ? NONE : troublesOf(change.type === 'changed' ? change.old : change.object);
const troublesNow = ({ type, object }: ObjectChange<KubeObject>): unknown => (type === 'deleted' ? NONE : troublesOf(object));
const troublesOf = ({ crash, unstarted }: KubeObject) => ({ crash, unstarted });
const NONE = { crash: undefined, unstarted: undefined };
const whatCounts = ({ metadata: { labels, deletionTimestamp }, ready, restarts, crash, unstarted, container, ip }: KubeObject) => ({
  revision: labels?.['controller-revision-hash'],
  deletionTimestamp,
  ready,
  restarts,
  crash,
  unstarted,
  container,
  ip,
});
