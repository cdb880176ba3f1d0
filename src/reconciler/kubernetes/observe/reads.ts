import type { ReadAnswer } from '../../../constructs/index.ts';
import type { World } from '../../world.ts';
import { CommandTimeout } from '../../../kube/exec.ts';
import { askProbe, type PodChoice } from '../commands/exec.ts';
import { canAsk, type ClusterContext } from '../cluster-context.ts';

/** The pauses after the first failures in a row. After further ones a probe is made at each interval, as after a success. */
const AGAIN_AFTER_MS: readonly number[] = [10_000, 20_000, 30_000];

/** The pause before the next probe, after so many failures in a row. */
export const probeAgainMs = (failures: number, probeMs: number): number => Math.min(probeMs, AGAIN_AFTER_MS[failures - 1] ?? probeMs);

/** The reads of a user, and when to probe again. */
export interface ReadsAnswer {
  readonly reads?: ReadAnswer | 'unknown';
  readonly afterMs: number;
}

/** Has a fuse pod look up a file as a reader would, while one is ready: without it no pod reads. */
export function askAsReader(
  { jobs, exec, probeMs }: ClusterContext,
  choice: PodChoice,
  { key, runtime, plan, bound }: Pick<World, 'key' | 'runtime' | 'plan' | 'bound'>,
  onEnd: () => void,
): ReadsAnswer {
  const probe = plan.probes.reads;
  if (!bound || probeMs <= 0 || !canAsk(choice, probe)) return { afterMs: Infinity };
  const name = `${runtime.metadata.uid}/reads`;
  // Another client's answer says nothing about this one.
  const asked = choice.pods('fuse').find((pod) => pod['ready'])?.metadata.uid ?? '';
  const job = jobs.ask(
    name,
    { namespace: key.namespace, version: asked, everyMs: probeAgainMs(jobs.state(name).failures, probeMs) },
    async () => {
      const reads = await askProbe(exec, choice, probe).catch((error: unknown) =>
        // An image without a shell, or a node that does not answer, says nothing about the data.
        error instanceof CommandTimeout && error.hasPrinted ? probe.late?.() : undefined,
      );
      if (reads?.fails !== undefined) throw new Error(reads.fails);
      return reads;
    },
    onEnd,
  );
  return {
    reads: job.error === undefined ? (job.value ?? 'unknown') : { fails: job.error },
    afterMs: job.dueInMs ?? Infinity,
  };
}
