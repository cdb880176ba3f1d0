import type { Command, MountChange, Part } from '../../constructs/index.ts';
import type { Hold } from '../../planning/hold.ts';
import type { LiveObject } from '../../planning/objects.ts';

/** One effect that a step of the lifecycle asks for; a pass takes them in order. */
export type Action =
  /** Applies the objects of this part. */
  | { readonly ensure: Part }
  /** Runs the commands that change the mounts in this way. */
  | { readonly run: readonly Command[]; readonly change: MountChange }
  /** Gives a volume that names another claim, or none, to the claim `to`; without `to` the volume names none afterwards. */
  | { readonly release: LiveObject; readonly seen: LiveObject; readonly to?: LiveObject }
  /** Deletes an object that can never become what is wanted; the pass after its deletion creates it again. */
  | { readonly discard: LiveObject }
  /** Deletes a claim whose volume is being deleted, if no pod mounts it. */
  | { readonly vacate: LiveObject }
  /** Records on a claim that it and its volume name each other, so that the volume controller reconciles the claim. */
  | { readonly complete: LiveObject }
  /** Has the volume controller reconcile a claim that is still not bound in `afterMs`. */
  | { readonly nudge: LiveObject; readonly afterMs: number };

/** The request of one step. A step that is done asks for nothing. */
export interface Contribution {
  readonly action?: Action;
  readonly hold?: Hold;
}

/** The requests of all steps of one pass. */
export interface Decision {
  readonly actions: readonly Action[];
  readonly hold?: Hold;
  /** Whether the actions name every desired object, so that all others may be deleted. */
  readonly mayPrune: boolean;
}
