import type { NodeContext } from '../node-context.ts';
import type { RuntimeName } from '../volume.ts';

/** What became of one consumer. */
export interface Outcome {
  readonly runtime: RuntimeName | undefined;
  readonly pod: string;
  readonly fusePath: string;
  readonly dropped: number;
  /** Why it is not bound again; empty: it is too early, and nobody need be told. */
  readonly error?: string;
  /** Bound, but containers that run do not see it. */
  readonly unseen?: boolean;
}

/** One event a dataset and outcome, however many pods it is about. */
export function tell({ cluster, nodeId }: NodeContext, outcomes: readonly Outcome[]): void {
  for (const [key, all] of Map.groupBy(outcomes, ({ runtime, fusePath }) => (runtime ? JSON.stringify([runtime, fusePath]) : ''))) {
    const [runtime, fusePath] = key === '' ? [] : (JSON.parse(key) as [RuntimeName, string]);
    if (!runtime) continue;
    const told = (type: 'Normal' | 'Warning', reason: Parameters<typeof cluster.tell>[1]['reason'], note: string) =>
      cluster.tell(runtime, { type, reason, note: `Fuse recover on node ${nodeId}: ${note}` });
    const podsOf = (some: readonly Outcome[]) => [...new Set(some.map(({ pod }) => pod))].join(', ');
    const bound = all.filter(({ error }) => error === undefined);
    const [done, unseen] = [bound.filter((each) => !each.unseen), bound.filter((each) => each.unseen)];
    const failed = all.filter(({ error }) => error);
    const dropped = all.reduce((sum, each) => sum + each.dropped, 0);
    if (done.length > 0) told('Normal', 'FuseRecoverSucceed', `${fusePath} was mounted anew and is bound again for pods ${podsOf(done)}`);
    if (unseen.length > 0)
      told(
        'Warning',
        'FuseRecoverFailed',
        `${fusePath} was mounted anew, but pods ${podsOf(unseen)} see it only in containers that start from now on`,
      );
    if (failed.length > 0) told('Warning', 'FuseRecoverFailed', `${fusePath} for pods ${podsOf(failed)}: ${failed[0]?.error}`);
    if (dropped > 0)
      told('Warning', 'UnmountDuplicateMountpoint', `${dropped} mounts of clients that have ended were taken away below ${fusePath}`);
  }
}
