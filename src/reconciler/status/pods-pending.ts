import type { Role } from '../../constructs/index.ts';
import { some } from '../../planning/some.ts';
import { ROLES, type UnstartedPod, type World } from '../world.ts';

/** How long a pod may take to start. */
const START_MS = 60_000;

type Pods = Pick<World, 'workloads' | 'now'>;

/** Why pods of masters, workers or fuse have not started for a minute, in Kubernetes' words about the first of them. */
export function pendingOf({ workloads, now }: Pods): { readonly reason: string; readonly message: string } | undefined {
  const pods = ROLES.flatMap((role) => lastingPods({ workloads, now }, role));
  const [first] = pods;
  return (
    first && {
      reason: first.reason,
      message: `These pods have not started for a minute: ${some(pods, ({ name }) => name)}. The pod ${whyUnstarted(first)}`,
    }
  );
}

/** Pods of a role that have not started for a minute. */
export const lastingPods = ({ workloads, now }: Pods, role: Role): readonly UnstartedPod[] =>
  (workloads[role]?.unstarted ?? []).filter(({ since }) => leftMs(since, now) <= 0);

/** `demo-worker-0: ImagePullBackOff: …`; a text that begins with the reason has it once. */
export const whyUnstarted = ({ name, reason, message }: UnstartedPod): string =>
  [name, ...(message.startsWith(reason) ? [] : [reason]), ...(message === '' ? [] : [message])].join(': ');

/** Milliseconds until each pod that does not start has not done so for a minute. */
export const pendingAfterMs = ({ workloads, now }: Pods): readonly number[] =>
  ROLES.flatMap((role) => workloads[role]?.unstarted ?? []).flatMap(({ since }) => (leftMs(since, now) > 0 ? [leftMs(since, now)] : []));

/** None of a time that is not known. A clock that is behind delays the report by a minute at most. */
const leftMs = (since: string, now: number): number => Math.min(START_MS, START_MS - (now - Date.parse(since))) || 0;
