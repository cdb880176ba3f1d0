/** How far a reflector has come, and what follows: pure. reflector.ts draws the states. */
import { ApiError, isExpired, isNotFound } from '../errors.ts';

export type State =
  /** The collection must be listed. */
  | { readonly is: 'unlisted' }
  | Listed
  /** Events after this version are shown as they come. `end` closes the connection. */
  | (Omit<Listed, 'is'> & { readonly is: 'watching'; readonly end: () => void });

/** The store has everything up to this version, from which a watch can begin. */
export interface Listed {
  readonly is: 'listed';
  readonly version: string;
  /** How often in a row the server has rejected to resume from there. */
  readonly rejections: number;
}

/** After this many rejections the server will not resume from this version: the collection is listed. */
const RESUMES = 5;
/** A watch that is behind is resumed first; then what it should have shown is listed. */
const TRIES_WHEN_BEHIND = 2;

export const UNLISTED: State = { is: 'unlisted' };

/** A complete list has this version. */
export const listed = (version: string): State => ({ is: 'listed', version, rejections: 0 });

export const watching = ({ version, rejections }: Listed, end: () => void): State => ({ is: 'watching', version, rejections, end });

/** The watch has shown everything up to this version. */
export const reached = (state: State, version: string): State => (state.is === 'unlisted' ? state : { ...state, version });

/** The server has resumed a watch from the version. */
export const resumed = (state: State): State => (state.is === 'unlisted' || state.rejections === 0 ? state : { ...state, rejections: 0 });

/** The watch has ended. */
export const ended = (state: State): State =>
  state.is === 'watching' ? { is: 'listed', version: state.version, rejections: state.rejections } : state;

/** A list or a watch has failed. @param timesBehind how often in a row the watch has not shown what is known to exist */
export function failed(state: State, error: unknown, timesBehind: number): State {
  const stopped = ended(state);
  if (stopped.is !== 'listed') return UNLISTED;
  const rejections = stopped.rejections + (rejectsResume(error) ? 1 : 0);
  const isLost = isExpired(error) || isNotFound(error) || rejections >= RESUMES || timesBehind >= TRIES_WHEN_BEHIND;
  return isLost ? UNLISTED : { ...stopped, rejections };
}

export const versionOf = (state: State): string | undefined => (state.is === 'unlisted' ? undefined : state.version);

/** Errors that resuming cannot cure: not 429 or 503, nor the silence of a server that restarts. */
const rejectsResume = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof ApiError && error.status !== 429 && error.status !== 503);
