import type { Pauses } from './pauses.ts';
import type { LeaseRequests } from './lease-requests.ts';
import type { Log } from '../types.ts';

/** A process that takes part in an election: what it works with as a standby and as the leader. */
export interface LeaseCandidate {
  /** The Lease's name. */
  readonly name: string;
  readonly identity: string;
  readonly renewMs: number;
  readonly requests: LeaseRequests;
  /** For one request, ms. */
  readonly requestMs: number;
  readonly pauses: Pauses;
  readonly log: Log;
}
