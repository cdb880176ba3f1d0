import type { LeaseCandidate } from './candidate.ts';
import { holderOf, type Lease } from './lease-record.ts';
import { isOutdated } from './lease-requests.ts';
import type { WriteWindow } from './write-window.ts';
import { messageOf } from '../errors.ts';

export interface LeadingOptions extends LeaseCandidate {
  readonly writeWindowMs: number;
  readonly window: WriteWindow;
}

/** Why a leadership ended. */
export interface LeadershipEnd {
  readonly reason: string;
  /** The Lease, if this process may still hold it. */
  readonly held: Lease | undefined;
  /** The Lease of the process that has it instead, which may write for as long as it promises. */
  readonly other?: Lease;
}

/** After a renewal that failed; short, since two seconds later the window closes. */
const RETRY_MS = 250;

/** Renews until the window closes, another process holds the lease, or this process's part is stopped. */
export async function lead(won: Lease, options: LeadingOptions): Promise<LeadershipEnd> {
  const { name, identity, renewMs, writeWindowMs, window, requests, requestMs, pauses, log } = options;
  let held: Lease | undefined = won;
  let problem = '';
  let nextMs = renewMs;
  let conflicts = 0;
  for (;;) {
    await pauses.pause(Math.min(nextMs, window.leftMs()));
    if (pauses.isStopped) return { reason: 'stopped', held };
    const timeoutMs = Math.min(requestMs, window.leftMs());
    if (timeoutMs <= 0) return { reason: `not renewed for ${writeWindowMs} ms${problem && `: ${problem}`}`, held };
    try {
      held = await (held ? requests.renew(held, timeoutMs) : requests.take(undefined, timeoutMs));
      problem = '';
      nextMs = renewMs;
      conflicts = 0;
    } catch (error) {
      problem = messageOf(error);
      log.warn({ lease: name, error: problem, leftMs: Math.round(window.leftMs()) }, 'lease not renewed');
      nextMs = RETRY_MS;
      if (!isOutdated(error, held)) continue;
      // Edited or deleted by hand, or an earlier renewal arrived though its answer did not.
      const found = await requests.read(timeoutMs);
      if (found === 'unknown') continue;
      if (found && holderOf(found) !== identity) return { reason: takenBy(holderOf(found)), held: undefined, other: found };
      held = found;
      // At once, but not for ever: a webhook too may answer 409.
      if (conflicts++ === 0) nextMs = 0;
    }
  }
}

const takenBy = (holder: string) => (holder === '' ? 'released by another process' : `taken by ${holder}`);
