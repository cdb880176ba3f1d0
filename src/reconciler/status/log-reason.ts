import type { Dataset } from '../../api/index.ts';
import type { Cluster } from '../cluster.ts';
import { type RuntimeObject, keyText } from '../world.ts';

type Conditions = readonly { readonly type: string; readonly status?: string; readonly reason?: string; readonly message?: string }[];

/**
 * A line of the log when the reason changes for which an object waits, or nothing keeps it any more. For who has written its status: what
 * passes within a second is not told there, and however many wait, there are no more lines than writes.
 */
export function logReason(
  { log }: Cluster,
  { kind, metadata: { namespace = '', name }, status }: Dataset | RuntimeObject,
  type: 'Synced' | 'NotReady',
  conditions: Conditions = [],
): void {
  const holdIn = (list: Conditions = []) =>
    list.find((each) => each.type === type && each.status === (type === 'Synced' ? 'False' : 'True'));
  const [before, now] = [holdIn(status?.conditions), holdIn(conditions)];
  if (before?.reason === now?.reason) return;
  const fields = { key: keyText({ namespace, name }), kind };
  if (now) log.info({ ...fields, reason: now.reason, message: now.message }, 'waiting');
  else log.info({ ...fields, reason: before?.reason }, 'waits no longer');
}
