import { within } from '../../kube/clock.ts';
import { containersOf, type FusePod, type PodName } from '../cluster/node-cluster.ts';
import type { NodeContext } from '../node-context.ts';
import { podsOfNode } from '../cluster/pod-names.ts';

type Asking = Pick<NodeContext, 'cluster' | 'clock' | 'log' | 'podLogsDir'>;

/** A pod of this node; undefined when it does not exist, or the API server does not answer within `ms`. */
export async function podOf(context: Asking, uid: string, ms: number, name?: PodName): Promise<FusePod | undefined> {
  return (await ask(context, uid, ms, name))?.pod;
}

/** Whether a pod has no containers any more and gets none; false when the API server does not answer within `ms`. */
export async function hasEnded(context: Asking, uid: string, ms: number): Promise<boolean> {
  const answer = await ask(context, uid, ms);
  if (!answer?.pod) return answer !== undefined;
  const { metadata, status = {} } = answer.pod;
  const isEnding = metadata.deletionTimestamp !== undefined || status.phase === 'Succeeded' || status.phase === 'Failed';
  return isEnding && !containersOf(status).some(({ state }) => state?.running);
}

/** A pod of this node, read from the API server; undefined when that is unknown, `{}` when it does not exist. */
async function ask(context: Asking, uid: string, ms: number, name?: PodName): Promise<{ readonly pod?: FusePod } | undefined> {
  const { cluster, clock, log, podLogsDir } = context;
  const known = name ?? podsOfNode(podLogsDir).find((each) => each.uid === uid);
  if (!known) return undefined;
  try {
    // Another of its name is not this one.
    const asked = cluster.pod(known).then((pod) => (pod?.metadata.uid === uid ? { pod } : {}));
    return await within(clock, ms, asked);
  } catch (error) {
    log.warn({ podUid: uid, error: String(error) }, 'a pod that mounts the volume cannot be read');
    return undefined;
  }
}
