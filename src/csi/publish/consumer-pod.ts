import type { Clock } from '../../kube/clock.ts';
import type { Pod, PodName } from '../cluster/node-cluster.ts';
import type { NodeContext } from '../node-context.ts';
import { podsOfNode } from '../cluster/pod-names.ts';

type Asking = Pick<NodeContext, 'cluster' | 'clock' | 'log' | 'podLogsDir'>;

/** A pod of this node; undefined when it does not exist, or the API server does not answer within `ms`. */
export async function podOf(context: Asking, uid: string, ms: number, name?: PodName): Promise<Pod | undefined> {
  const { cluster, clock, log, podLogsDir } = context;
  const known = name ?? podsOfNode(podLogsDir).find((each) => each.uid === uid);
  if (!known) return undefined;
  try {
    const pod = await within(clock, ms, cluster.pod(known));
    // Another of its name is not this one.
    return pod?.metadata.uid === uid ? pod : undefined;
  } catch (error) {
    log.warn({ podUid: uid, error: String(error) }, 'a pod that mounts the volume cannot be read');
    return undefined;
  }
}

/** The result of `work`; undefined when it takes longer than `ms`. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const cancel = clock.after(ms, () => late.resolve(undefined));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}
