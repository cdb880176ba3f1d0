import { redactedText } from '../../../api/redact.ts';
import { conditionsOf, wrongOf } from '../../../explain/conditions.ts';
import { lastSeen, recordedEvent, timesSeen } from '../../../explain/recorded-event.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { objectText } from '../../../planning/key.ts';
import type { HistoryEntry } from '../../wire.ts';
import { timeOf } from '../rows/texts.ts';
import type { DatasetReading } from './reading.ts';

const MOST = 300;

/** Conditions of a Dataset, its runtime and its operations, and events of all that belongs to them, the newest first. */
export function historyOf({
  dataset,
  runtimes,
  operations,
  workloads,
  jobs,
  pods,
  applications,
  events,
}: DatasetReading): readonly HistoryEntry[] {
  const owners = [dataset, ...runtimes, ...operations];
  // Events are asked for by name: others of the namespace may have the same.
  const known = new Map([...owners, ...workloads, ...jobs, ...pods, ...applications].map((object) => [object.metadata.uid, object]));
  return [...owners.flatMap(ofConditions), ...events.flatMap((event) => ofEvent(event, known))]
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MOST);
}

function ofConditions(object: KubeObject): readonly HistoryEntry[] {
  const wrong = new Set(wrongOf(object));
  return conditionsOf(object).flatMap((condition) => {
    const at = timeOf(condition.lastTransitionTime);
    if (at === undefined) return [];
    const { type, status, reason = '', message = '' } = condition;
    return [
      {
        at,
        object: objectText(object),
        from: 'condition' as const,
        severity: wrong.has(condition) ? ('warning' as const) : ('normal' as const),
        reason: redactedText(`${type} ${status}${reason === '' ? '' : `: ${reason}`}`),
        message: redactedText(message),
      },
    ];
  });
}

function ofEvent(event: KubeObject, known: ReadonlyMap<string | undefined, KubeObject>): readonly HistoryEntry[] {
  const recorded = recordedEvent(event);
  const { type, reason = '', message = '', involvedObject } = recorded;
  const object = known.get(involvedObject?.uid);
  const at = timeOf(lastSeen(recorded));
  if (!object || involvedObject?.uid === undefined || at === undefined) return [];
  const times = timesSeen(recorded);
  return [
    {
      at,
      object: objectText(object),
      from: 'event',
      severity: type === 'Warning' ? 'warning' : 'normal',
      reason: redactedText(reason),
      message: redactedText(message),
      ...(times > 1 && { count: times }),
    },
  ];
}
