import type { Reason } from './reasons.ts';

/** Why a Dataset is not set up yet, or no longer follows its spec: the reason and message of conditions and events. */
export interface Hold {
  readonly reason: Reason;
  readonly message: string;
  /** An error is the cause: the hold never counts as passing. */
  readonly isError?: boolean;
  /** The hold is not reported, since the dataset is served meanwhile; its end requeues the key. */
  readonly silent?: boolean;
  /** Milliseconds until the next pass. Absent: an event starts it. */
  readonly afterMs?: number;
  /** The bound data may not be used any more: claim and volume are deleted, and no earlier plan stays in force. */
  readonly revokes?: true;
  /** The pass counts as failed and is retried with back-off. */
  readonly fails?: true;
  /** Reason of the event, if it is not the usual one. */
  readonly event?: string;
}
