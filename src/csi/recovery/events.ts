import type { DatasetEvent } from '../cluster/node-cluster.ts';
import type { NodeContext } from '../node-context.ts';
import type { RuntimeName } from '../volume.ts';

/** The result of binding one consumer again. */
export interface RebindResult {
  readonly runtime: RuntimeName | undefined;
  readonly pod: string;
  readonly fusePath: string;
  readonly dropped: number;
  /** Why it was not bound; empty: it is too early, and no event is written. */
  readonly error?: string;
  /** Bound, but running containers do not see it. */
  readonly unseen?: boolean;
}

/** Writes one event for each Dataset and result, however many pods it concerns. */
export function recordResults({ cluster, nodeId }: Pick<NodeContext, 'cluster' | 'nodeId'>, results: readonly RebindResult[]): void {
  for (const [key, all] of Map.groupBy(results, ({ runtime, fusePath }) => (runtime ? JSON.stringify([runtime, fusePath]) : ''))) {
    const [runtime, fusePath] = key === '' ? [] : (JSON.parse(key) as [RuntimeName, string]);
    if (!runtime) continue;
    const record = (type: DatasetEvent['type'], reason: DatasetEvent['reason'], note: string) =>
      cluster.recordEvent(runtime, { type, reason, note: `Fuse recover on node ${nodeId}: ${note}` });
    const podsOf = (some: readonly RebindResult[]) => [...new Set(some.map(({ pod }) => pod))].join(', ');
    const bound = all.filter(({ error }) => error === undefined);
    const [done, unseen] = [bound.filter((each) => !each.unseen), bound.filter((each) => each.unseen)];
    const failed = all.filter(({ error }) => error);
    const dropped = all.reduce((sum, each) => sum + each.dropped, 0);
    if (done.length > 0) record('Normal', 'FuseRecoverSucceed', `${fusePath} was mounted again, and bound again for pods ${podsOf(done)}`);
    if (unseen.length > 0)
      record(
        'Warning',
        'FuseRecoverFailed',
        `${fusePath} was mounted again, but pods ${podsOf(unseen)} see it only in containers that start from now on`,
      );
    if (failed.length > 0) record('Warning', 'FuseRecoverFailed', `${fusePath} for pods ${podsOf(failed)}: ${failed[0]?.error}`);
    if (dropped > 0)
      record('Warning', 'UnmountDuplicateMountpoint', `${dropped} mounts of FUSE clients that have ended were unmounted: ${fusePath}`);
  }
}
