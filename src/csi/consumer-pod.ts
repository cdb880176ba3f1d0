import type { Clock } from '../kube/clock.ts';
import type { Pod } from './cluster.ts';
import type { PodPath } from './kubelet.ts';
import type { NodeParts } from './parts.ts';

/** The pod that has a volume; undefined where there is none, or the API server does not tell which within `ms`. */
export async function podOf(parts: NodeParts, { podUid, volumeName }: PodPath, ms: number): Promise<Pod | undefined> {
  const { cluster, clock, log } = parts;
  async function ask(): Promise<Pod | undefined> {
    // Pods are of the namespace of the claim that they mount.
    const claim = (await cluster.volume(volumeName))?.claim;
    return claim && (await cluster.pods(claim.namespace)).find(({ metadata }) => metadata.uid === podUid);
  }
  try {
    return await within(clock, ms, ask());
  } catch (error) {
    log.warn({ podUid, error: String(error) }, 'a consumer cannot be asked for');
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
