import type { WireRequest } from '../../../src/api-server/wire/requests.ts';
import type { Process, VirtualTime } from '../time.ts';

/** Limit of requests of one kind about one object within a second, under all faults. */
const MOST = 40;
const SECOND_MS = 1000;

/** Whether a process asks the same again and again without a pause, and whether it asks for views that may be old. */
export interface RateCheck {
  sent(process: Process, request: WireRequest): string | undefined;
}

export function createRateCheck(time: VirtualTime): RateCheck {
  const counts = new Map<string, { sinceMs: number; count: number }>();
  return {
    sent({ name: by }, { verb, type, namespace, name, subresource, query }) {
      if ((verb === 'get' || verb === 'list') && query.has('resourceVersion'))
        return `${by} sent ${verb} ${type.kind} with a resourceVersion: the answer may be older than what it knows`;
      if (type.plural === 'events') return undefined;
      const id = [by, verb, type.kind, namespace, name, subresource, query.get('continue')].join(' ');
      const entry = counts.get(id);
      if (!entry || time.nowMs - entry.sinceMs > SECOND_MS) {
        counts.set(id, { sinceMs: time.nowMs, count: 1 });
        return undefined;
      }
      return ++entry.count > MOST ? `${id} was sent ${entry.count} times within a second` : undefined;
    },
  };
}
