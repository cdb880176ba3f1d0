import type { Command, MountChange, Part } from '../../constructs/index.ts';
import type { Hold } from '../../planning/hold.ts';
import type { LiveObject } from '../../planning/objects.ts';

/** One effect that a step of the lifecycle asks for; a pass takes them in order. */
export type Action =
  /** Applies the objects of this part. */
  | { readonly do: 'ensure'; readonly part: Part }
  /** Runs the commands that change the mounts in this way. */
  | { readonly do: 'run'; readonly commands: readonly Command[]; readonly change: MountChange }
  /** Gives a volume that names another claim, or none, to the claim `to`; without `to` the volume names none afterwards. */
  | { readonly do: 'release'; readonly volume: LiveObject; readonly seen: LiveObject; readonly to?: LiveObject }
  /** Deletes an object that can never become what is wanted; the pass after its deletion creates it again. */
  | { readonly do: 'discard'; readonly object: LiveObject }
  /** Deletes a claim whose volume is being deleted, if no pod mounts it. */
  | { readonly do: 'vacate'; readonly claim: LiveObject }
  /** Records on a claim that it and its volume name each other, so that the volume controller reconciles the claim. */
  | { readonly do: 'complete'; readonly claim: LiveObject }
  /** Has the volume controller reconcile a claim that is still not bound in `afterMs`. */
  | { readonly do: 'nudge'; readonly claim: LiveObject; readonly afterMs: number };

/** The requests of all steps of one pass. */
export interface Decision {
  readonly actions: readonly Action[];
  readonly hold?: Hold;
  /** Whether the actions name every desired object, so that all others may be deleted. */
  readonly mayPrune: boolean;
}
