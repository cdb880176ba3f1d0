import { redactedText } from '../../../api/redact.ts';
import { lastSeen, recordedEvent, timesSeen } from '../../../explain/recorded-event.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { Event } from '../../../planning/kinds.ts';
import type { ArchiveEntry } from './archive.ts';
import type { Reader } from './reader.ts';

/** The latest of them. */
const MOST = 5000;

/** Events of a namespace, of all types, a line each, in the order of time. */
export async function* eventLog(
  reader: Reader,
  namespace: string,
  path: string,
  isWanted: (object: { readonly kind: string; readonly name: string }) => boolean,
): AsyncGenerator<ArchiveEntry> {
  let lines: string[] = [];
  let left = 0;
  const latest = () => lines.toSorted().slice(-MOST);
  for await (const event of reader.all(Event, { namespace })) {
    const { kind = '', name = '' } = recordedEvent(event).involvedObject ?? {};
    if (!isWanted({ kind, name })) continue;
    lines.push(lineOf(event));
    if (lines.length < 2 * MOST) continue;
    left += lines.length - MOST;
    lines = latest();
  }
  left += Math.max(0, lines.length - MOST);
  if (left > 0) reader.notes.push(`the ${left} oldest events of namespace ${namespace}`);
  yield { path, text: latest().join('') };
}

/** The time comes first: events are sorted as texts. */
function lineOf(event: KubeObject): string {
  const recorded = recordedEvent(event);
  const { type, reason, message = '', involvedObject } = recorded;
  const at = lastSeen(recorded) ?? '';
  const times = timesSeen(recorded);
  const about = `${involvedObject?.kind ?? ''}/${involvedObject?.name ?? ''}`;
  return `${at} ${type ?? ''} ${about} ${reason ?? ''}${times > 1 ? ` (${times} times)` : ''}: ${redactedText(message).replaceAll(/\s+/g, ' ')}\n`;
}
