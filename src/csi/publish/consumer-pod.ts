import type { Clock } from '../../kube/clock.ts';
import type { Pod, PodName } from '../cluster/node-cluster.ts';
import type { NodeContext } from '../node-context.ts';
import { podsOfNode } from '../cluster/pod-names.ts';

type Asking = Pick<NodeContext, 'cluster' | 'clock' | 'log' | 'podLogsDir'>;

/** A pod of this node; undefined where there is none, or the API server does not tell within `ms`. */
export async function podOf(context: Asking, uid: string, ms: number, name?: PodName): Promise<Pod | undefined> {
  const { cluster, clock, log, podLogsDir } = context;
  const known = name ?? podsOfNode(podLogsDir).find((each) => each.uid === uid);
  if (!known) return undefined;
  try {
    const pod = await within(clock, ms, cluster.pod(known));
    // Another of its name is not this one.
    return pod?.metadata.uid === uid ? pod : undefined;
  } catch (error) {
    log.warn({ podUid: uid, error: String(error) }, 'a consumer cannot be asked for');
    return undefined;
  }
}

/** What is had in this time, ms; undefined when it is not. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const cancel = clock.after(ms, () => late.resolve(undefined));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}
