import type { Dataset } from '../../api/index.ts';
import type { Cluster } from '../cluster.ts';
import { type RuntimeObject, keyText } from '../world.ts';

type Conditions = readonly { readonly type: string; readonly status?: string; readonly reason?: string; readonly message?: string }[];

/**
 * Writes a line to the log when the reason changes for which an object waits, or when its wait has ended. Called after a write of its
 * status: a wait of less than a second is not reported there, so that the log has no more lines than there are writes.
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
  else log.info({ ...fields, reason: before?.reason }, 'no longer waiting');
}
