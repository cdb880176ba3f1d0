import { durationText } from '../api/index.ts';
import { redactedText } from '../api/redact.ts';
import type { KubeObject } from '../kube/types.ts';
import type { ExplainInput } from './gather.ts';
import type { RecordedEvent } from './recorded-event.ts';

const timeOf = ({ series, lastTimestamp, eventTime }: RecordedEvent): string =>
  series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? '';
const MOST = 3;

/** The latest warnings that no condition has the text of. */
export const eventLines = (
  object: KubeObject,
  { events, now }: Pick<ExplainInput, 'events' | 'now'>,
  known: readonly { readonly message?: string }[],
) =>
  eventsOf(object, events)
    .filter(({ message = '' }) => !known.some((condition) => condition.message?.includes(message)))
    .slice(0, MOST)
    .map((event) => {
      const { reason, message } = textsOf(event);
      return `event ${reason}${ageOf(event, now)}: ${message}`;
    });

function ageOf(event: RecordedEvent, now: number): string {
  const ms = now - Date.parse(timeOf(event));
  return Number.isNaN(ms) ? '' : `, ${durationText(Math.max(0, ms))} ago`;
}

export function latestEvent(object: KubeObject, events: readonly KubeObject[]): { reason: string; message: string } | undefined {
  const [latest] = eventsOf(object, events);
  return latest && textsOf(latest);
}

/**
 * The latest event, and when those like it began of which none came later than `gapMs` after the one before.
 *
 * @returns undefined if there is none, or it is older than `gapMs`; `since` is empty for events without times
 */
export function eventsSince(
  object: KubeObject,
  events: readonly KubeObject[],
  now: number,
  gapMs: number,
): { readonly reason: string; readonly message: string; readonly since: string } | undefined {
  const [latest, ...earlier] = eventsOf(object, events);
  if (!latest || now - Date.parse(timeOf(latest)) > gapMs) return undefined;
  let since = beginningOf(latest);
  for (const event of earlier) {
    if (event.reason !== latest.reason) continue;
    if (Date.parse(since) - Date.parse(timeOf(event)) > gapMs) break;
    if (beginningOf(event) < since) since = beginningOf(event);
  }
  return { ...textsOf(latest), since };
}

const textsOf = ({ reason = '', message = '' }: RecordedEvent) => ({ reason: redactedText(reason), message: redactedText(message) });
const beginningOf = (event: RecordedEvent): string => event.firstTimestamp ?? event.eventTime ?? timeOf(event);

/** The latest first. The cast: they were listed as Events. */
const eventsOf = ({ metadata: { uid } }: KubeObject, events: readonly KubeObject[]): readonly RecordedEvent[] =>
  events
    .map((event) => event as unknown as RecordedEvent)
    .filter(({ involvedObject }) => involvedObject?.uid === uid)
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
