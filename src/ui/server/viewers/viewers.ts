import type { KubeClient } from '../../../kube/contract.ts';
import type { Sight } from './sight.ts';

/** One who has signed in. */
export interface ViewerSession {
  readonly sight: Sight;
  /** For reads on demand: it asks only what this viewer may know. */
  readonly reads: KubeClient;
  /** For dry runs of an edit: the API server checks the rights of this viewer. */
  readonly edits: KubeClient;
  /** Aborted when the session ends. */
  readonly ended: AbortSignal;
}

/** Those who may look, and how they sign in. */
export interface Viewers {
  /** @returns the cookie's value; undefined if the token is none that is expected. @throws TooMany */
  signIn(token: string, peer?: string): Promise<string | undefined>;
  /** The session of a cookie, or of the token that a proxy sends. @throws TooMany */
  of(credentials: Credentials): Promise<ViewerSession | undefined>;
  stop(): void;
}
export interface Credentials {
  readonly cookie: string | undefined;
  readonly bearer: string | undefined;
  /** The address that asks. */
  readonly peer?: string | undefined;
}

/** Too many try at once, or are there already. */
export class TooMany extends Error {
  override readonly name = 'TooMany';
}
