import { redactedText } from '../../../api/redact.ts';
import { keyText } from '../../../planning/key.ts';
import { progressOf } from '../../../planning/figures.ts';
import { datasetsOf, isRunning, type OperationObject, pauseOf, runAfterOf } from '../../../reconciler/operations.ts';
import type { OperationRow } from '../../wire.ts';
import { cut, timeOf } from './texts.ts';

/**
 * The row of an operation, and since when it runs if it does.
 *
 * @param text shares texts that many rows have
 */
export function operationRow(
  operation: OperationObject,
  text: (text: string) => string,
): { readonly row: OperationRow; readonly runsSince: number | undefined } {
  const { kind, metadata, spec, status } = operation;
  const runs = isRunning(operation);
  const lastRun = timeOf(status?.lastScheduleTime);
  const created = timeOf(metadata.creationTimestamp) ?? 0;
  const progress = runs ? progressOf(status?.infos?.['Progress']) : undefined;
  const seconds = runs ? undefined : secondsOf(status?.duration);
  const after = runAfterOf(operation);
  const message = messageOf(operation);
  const { schedule } = spec;
  const row: OperationRow = {
    namespace: text(metadata.namespace ?? ''),
    name: metadata.name,
    kind: text(kind),
    datasets: datasetsOf(operation).map((key) => cut(keyText(key), MOST_KEY)),
    phase: text(cut(redactedText(status?.phase ?? ''), 40)),
    created,
    ...(progress !== undefined && { progress }),
    ...(seconds !== undefined && { seconds }),
    ...(spec.policy === 'Cron' && schedule !== undefined && { schedule: cut(redactedText(schedule), 100) }),
    ...(lastRun !== undefined && { lastRun }),
    ...(after && { after: cut(`${after.kind}/${after.namespace}/${after.name}`, MOST_KEY) }),
    ...(message !== undefined && { message: text(cut(redactedText(message), MOST_MESSAGE)) }),
  };
  return { row, runsSince: runs ? (lastRun ?? created) : undefined };
}

const MOST_MESSAGE = 400;
/** A kind, a namespace and a name are shorter; in a spec there may be anything. */
const MOST_KEY = 400;

/** The reason why an operation waits, or has failed. */
function messageOf(operation: OperationObject): string | undefined {
  const { conditions = [] } = operation.status ?? {};
  const failed = conditions.find(({ type, status }) => type === 'Failed' && status === 'True');
  const waiting = conditions.find(({ type, status }) => type === 'Complete' && status === 'False');
  return (failed ?? waiting)?.message ?? pauseOf(operation)?.message;
}

/** The seconds of `1h2m3s`, as the controller writes durations. */
function secondsOf(text: string | undefined): number | undefined {
  const [whole, h = '0', m = '0', s = '0'] = /^(?:(\d{1,6})h)?(?:(\d{1,2})m)?(?:(\d{1,2})s)?$/.exec(text ?? '') ?? [];
  return whole ? Number(h) * 3600 + Number(m) * 60 + Number(s) : undefined;
}
