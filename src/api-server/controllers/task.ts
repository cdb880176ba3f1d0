import type { KubeObject } from '../../kube/types.ts';
import type { Changed } from '../index.ts';

/** The work of a controller, object by object: a change costs as much as the objects that it concerns. */
export interface Task {
  /** The kinds of objects that the controller works on. */
  readonly kinds: readonly string[] | 'all';
  /** Does the next thing for an object. */
  work(object: KubeObject): Done;
  /** Which objects a change concerns, besides the object itself and its owners. */
  concerned?(change: Changed): readonly (KubeObject | undefined)[];
}

/** True: something was done, and there may be more. A number: nothing yet, but in so many ms there may be something. */
export type Done = boolean | number;
