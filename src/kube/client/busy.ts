import type { Clock } from '../clock.ts';
import { statusIn } from '../errors.ts';

/** The server asked for a later retry. */
export interface Busy {
  readonly waitMs: number;
  /** The server is overloaded, rather than one object rejected for now: all requests wait. */
  readonly forAll: boolean;
}

/** When the server asks for a longer wait, the caller gets the error at once. */
const LONGEST_MS = { forAll: 30_000, alone: 2_000 };

/**
 * Where the API server has too much to do (priority and fairness, requests in flight, shutting down), its answer is a line of text, as is
 * that of a proxy. A Status is about the object: any tenant's admission webhook may say 429 or 503, and how long to wait, and has
 * it passed on as it is. So it pauses no other request: the caller has a back-off of its own, and gets the error unless the wait is short.
 *
 * @returns undefined for any other answer, and when the wait would be too long
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
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - clock.wall();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
