import { isDeepStrictEqual } from 'node:util';
import type { ObjectChange } from '../../../kube/watch/collection.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { LiveObject } from '../../world.ts';
import { hasOlderTemplate } from '../../../planning/views.ts';

/** Whether a pod was scheduled to a node, or ended, between these two versions. */
export const isElsewhere = (old: KubeObject, now: KubeObject): boolean =>
  old['nodeName'] !== now['nodeName'] || (old['phase'] === 'Failed') !== (now['phase'] === 'Failed');

/** Whether a pass may decide differently because of this pod. */
export function isNews(change: ObjectChange<KubeObject>, workload: LiveObject, isAwaited: boolean): boolean {
  const { object: pod } = change;
  if (workload.kind === 'DaemonSet' && !hasOlderTemplate(workload, pod))
    return (isAwaited && pod['ready'] === true) || !isDeepStrictEqual(crashBefore(change), crashNow(change));
  return change.type !== 'changed' || !isDeepStrictEqual(whatCounts(change.old), whatCounts(pod));
}
const crashBefore = (change: ObjectChange<KubeObject>): unknown =>
  change.type === 'added' ? undefined : (change.type === 'changed' ? change.old : change.object)['crash'];
const crashNow = ({ type, object }: ObjectChange<KubeObject>): unknown => (type === 'deleted' ? undefined : object['crash']);
const whatCounts = ({ metadata: { labels, deletionTimestamp }, ready, restarts, crash, container, ip }: KubeObject) => ({
  revision: labels?.['controller-revision-hash'],
  deletionTimestamp,
  ready,
  restarts,
  crash,
  container,
  ip,
});
