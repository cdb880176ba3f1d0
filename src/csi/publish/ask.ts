/** Questions of a publish call to the API server: never for longer than a second. */
import type { FusePod } from '../cluster/node-cluster.ts';
import { fusePod } from '../cluster/fuse-pods.ts';
import { within } from '../../kube/clock.ts';
import { podOf } from './consumer-pod.ts';
import { podPathOf } from '../kubelet.ts';
import type { NodeContext } from '../node-context.ts';
import type { PublishRequest } from './plan.ts';
import type { RuntimeName } from '../volume.ts';

/** How long the API server may take to answer. */
export const ASK_MS = 1_000;

/** Kubernetes removes a deleted pod only after its publish call has returned, so that call must not wait on. */
export async function isWanted(context: NodeContext, { target, pod: name }: PublishRequest): Promise<boolean> {
  const at = podPathOf(target, context.kubeletDir);
  const pod = at && (await podOf(context, at.podUid, ASK_MS, name));
  return pod !== undefined && pod.metadata.deletionTimestamp === undefined;
}

/** The fuse pod of this node; undefined when the API server does not answer in time. */
export async function askForFusePod(
  context: NodeContext,
  runtime: RuntimeName,
): Promise<{ readonly pod: FusePod | undefined } | undefined> {
  try {
    return await within(
      context.clock,
      ASK_MS,
      fusePod(context, runtime).then((pod) => ({ pod })),
    );
  } catch (error) {
    context.log.warn({ runtime, error: String(error) }, 'the fuse pod cannot be read');
    return undefined;
  }
}
