import { ASK_MS, askForFusePod } from './ask.ts';
import { within } from '../../kube/clock.ts';
import { whyNotMounted } from '../cluster/fuse-pods.ts';
import type { NodeContext } from '../node-context.ts';
import type { PublishRequest } from './plan.ts';
import type { RuntimeName } from '../volume.ts';
import { messageOf } from '../../kube/errors.ts';

/** A request of the kubelet for a volume that it has staged by this handle. */
export interface PublishCall extends PublishRequest {
  readonly volumeId: string;
}

/** Why the volume cannot be mounted yet, for the events of the pod: what the mount table shows, and what the API server says of the fuse pod. */
export async function reasonOf(context: NodeContext, request: PublishCall, because: string): Promise<string> {
  const { runtime } = request.volume;
  const { pod } = request;
  if (!runtime) return because;
  const asked = await askForFusePod(context, runtime);
  if (!asked) return because;
  const lost = asked.pod || !(await mayLabel(context, request, runtime)) ? undefined : await lostLabel(context, request);
  if (lost !== undefined) return `${because}: ${lost}`;
  return `${because}: ${whyNotMounted(runtime, context.nodeId, asked.pod, pod?.namespace === runtime.namespace)}`;
}

/** The kubelet unstages only what is staged, and the controller removes labels only of a runtime that exists: no other label is set again. */
async function mayLabel({ clock, cluster, staged }: NodeContext, { volumeId }: PublishCall, runtime: RuntimeName): Promise<boolean> {
  if (!staged.get(volumeId)) return false;
  const found = await within(clock, ASK_MS, cluster.runtime(runtime)).catch(() => undefined);
  return found !== undefined;
}

/**
 * Whether the node has lost the label that brings the fuse pod here, which is then set again; the controller does the same where it runs and
 * the record of the label is left. Undefined when the node has it, or the API server does not answer in time.
 */
async function lostLabel({ clock, cluster, labels, log, nodeId, staged }: NodeContext, request: PublishCall): Promise<string | undefined> {
  const label = request.volume.nodeLabel ?? staged.get(request.volumeId)?.fuse?.nodeLabel;
  if (label === undefined) return undefined;
  const found = await within(clock, ASK_MS, cluster.hasLabel(label)).catch((error: unknown) => {
    log.warn({ label, error: String(error) }, 'the labels of the node cannot be read');
    return undefined;
  });
  if (found !== false) return undefined;
  const set = labels.renew(label).then(
    () => 'the node plugin has set it again',
    (error: unknown) => `it cannot be set again: ${messageOf(error)}`,
  );
  const result = (await within(clock, ASK_MS, set)) ?? 'the API server has not answered to set it again';
  log.warn({ label, result }, 'the node has lost a label');
  return `node ${nodeId} had lost the label ${label}, without which no fuse pod starts there; ${result}`;
}
