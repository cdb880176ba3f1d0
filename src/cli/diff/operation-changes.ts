import { annotation, isOwnedBy, label } from '../../api/index.ts';
import { operationNames } from '../../constructs/operation-names.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isDone, isOver, isRetried, jobView, pauseOf, retryOf, scheduleView } from '../../reconciler/operations.ts';
import { ownedKinds, Secret } from '../../planning/kinds.ts';
import type { LiveObject } from '../../planning/objects.ts';
import type { RenderedOperation } from '../synth/operations.ts';
import type { Change } from '../../planning/diff/change.ts';
import { changeOf, current, nothing } from './changes.ts';

/**
 * The changes that the controller would make for an operation: it creates objects that do not exist, and changes only a CronJob and its
 * objects.
 */
export async function operationChanges(client: KubeClient, { key, object, manifests }: RenderedOperation): Promise<readonly Change[]> {
  const { uid = '' } = object.metadata;
  const isCron = object.spec.policy === 'Cron';
  const { job: name } = operationNames(key);
  const job = await current(client, ownedKinds.Job, key.namespace, name);
  // A Job that Fluid created has no label of ours yet.
  const view = jobView(job && isOwnedBy(job, uid) ? labelledFor(job, uid) : job, uid);
  const schedule = isCron ? undefined : await current(client, ownedKinds.CronJob, key.namespace, name);
  const left = schedule && scheduleView(schedule, uid) ? [{ ...nothing(schedule), action: 'prune' as const }] : [];
  if (isOver(object)) {
    const note = `is ${object.status?.phase}: an edit has no effect. A new text of the annotation ${annotation.retry} runs it once more`;
    return [...left, { ...nothing(object), note }];
  }
  if (isDone(object) && object.spec.policy === 'OnEvent' && !isRetried(object)) {
    const note = `is ${object.status?.phase}: it runs again, as its spec says then, when mounts of its Dataset have changed`;
    return [...left, { ...nothing(object), note }];
  }
  if (pauseOf(object)) return [...left, { ...nothing(object), note: 'is paused: nothing else is done until it is resumed' }];
  if (job && view?.end && isRetried(object) && view.retry !== retryOf(object) && !isCron)
    return [...left, { ...nothing(job), action: 'change', note: 'would be deleted and created again: the operation is retried' }];
  if (job && view && !isCron)
    return [...left, { ...nothing(job), note: 'exists: no Job is changed, so an edit of its operation has no effect' }];
  const changes: Change[] = [...left, ...(job && view ? [former(job, view.end !== undefined)] : [])];
  for (const manifest of manifests) {
    const change = await changeOf(client, manifest, { uid, ...key });
    // A pair of keys that was made for the operation stays.
    changes.push(manifest.kind === Secret.kind && change.action === 'change' ? nothing(manifest) : change);
  }
  return changes;
}

const labelledFor = (job: LiveObject, uid: string): LiveObject => ({
  ...job,
  metadata: { ...job.metadata, labels: { ...job.metadata.labels, [label.owner]: uid } },
});

/** The end of a Job that an operation had before it got its schedule. */
const former = (job: LiveObject, hasEnded: boolean): Change =>
  hasEnded
    ? { ...nothing(job), action: 'prune' }
    : { ...nothing(job), note: 'is of an earlier policy: the Job runs to its end before the CronJob is created' };
