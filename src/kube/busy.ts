import type { Clock } from './clock.ts';
import { statusIn } from './errors.ts';

/** The server asked to be asked later. */
export interface Busy {
  readonly waitMs: number;
  /** It is the server that has too much to do, not one object that is refused for now: everybody waits. */
  readonly forAll: boolean;
}

/** Asked to wait longer than this, we return the answer instead. */
const LONGEST_MS = { forAll: 30_000, alone: 2_000 };

/**
 * What the API server turns away because it has too much to do (priority and fairness, requests in flight, shutting down), and what a proxy
 * does, is a line of text. A Status is about the object: any tenant's admission webhook may say 429 or 503, and how long to wait, and has
 * it passed on as it is. So it keeps nobody else; the caller has a back-off of its own, and hears of all but a short wait.
 *
 * @returns undefined when it said nothing of the kind, or more than we would wait
 */
export function busy(status: number, text: string, retryAfterMs: number | undefined): Busy | undefined {
  if (status !== 429 && !(status === 503 && retryAfterMs !== undefined)) return undefined;
  const waitMs = Math.max(100, retryAfterMs ?? 1000);
  const forAll = statusIn(text) === undefined;
  return waitMs > LONGEST_MS[forAll ? 'forAll' : 'alone'] ? undefined : { waitMs, forAll };
}

/** RFC 9110 §10.2.3: seconds, or a date. In ms. */
export function retryAfter(header: string | string[] | undefined, clock: Clock): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - clock.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
