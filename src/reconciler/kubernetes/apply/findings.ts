import type { LiveObject, DesiredObject } from '../../world.ts';
import type { ImmutableChange } from '../../../planning/diff/retain.ts';
import { isStillOurs, type Ownership } from '../../../planning/diff/managed-fields.ts';
import { stampOf } from '../../../planning/diff/stamp.ts';

/**
 * An object was found to be as it should be. As long as that stands, it is neither read nor written again. Of nearly all objects the
 * ownership of their fields says enough, which is kept once for all objects that are alike; a verdict says it at length.
 */
interface Verdict {
  readonly uid: string;
  readonly stamp: string | undefined;
  /** The finding stands while all its fields are still ours; the status may change. */
  readonly ownership?: Ownership | undefined;
  /** Else it stands until the object changes at all. */
  readonly resourceVersion?: string;
  readonly immutable: readonly ImmutableChange[];
}

/** How an object compares with what was to be written: the answer to our own write, or an object that was read. */
export interface Compared {
  readonly isAsSent?: boolean;
  readonly isEqual?: boolean;
}

/**
 * The changes that Kubernetes does not allow on an object that is known to be as it should be otherwise; undefined if it is not known, and
 * the object has to be read.
 */
export function knownChanges(desired: DesiredObject, live: LiveObject): readonly ImmutableChange[] | undefined {
  // The cast: only `keep` sets it.
  const known = desired.finding.found as Verdict | Ownership | undefined;
  if (known && !('uid' in known) && known === ownershipOf(live) && stampOf(live) === desired.hash) return [];
  if (known && 'uid' in known && stands(known, live)) return known.immutable;
  if (stampOf(live) !== desired.hash || !isUntouched(desired, live)) return undefined;
  keep(desired, live, [], true);
  return [];
}

/**
 * Notes an object as it is after a comparison or a write. What admission removed of what was sent shows in the fields that are ours.
 */
export function note(desired: DesiredObject, live: LiveObject, immutable: readonly ImmutableChange[], compared: Compared): void {
  const untouched = compared.isAsSent ? ownershipOf(live) !== undefined : isUntouched(desired, live);
  if (compared.isAsSent || compared.isEqual || untouched) keep(desired, live, immutable, untouched);
}

function keep({ finding, hash }: DesiredObject, live: LiveObject, immutable: readonly ImmutableChange[], untouched: boolean): void {
  const { uid, resourceVersion } = live.metadata;
  const isPlain = untouched && immutable.length === 0 && stampOf(live) === hash;
  const what = untouched ? { ownership: ownershipOf(live) } : { resourceVersion };
  finding.found = isPlain ? ownershipOf(live) : ({ uid, stamp: stampOf(live), immutable, ...what } satisfies Verdict);
}

const stands = ({ uid, stamp, ownership, resourceVersion }: Verdict, live: LiveObject): boolean =>
  uid === live.metadata.uid &&
  (resourceVersion === undefined
    ? stamp === stampOf(live) && ownership === ownershipOf(live)
    : resourceVersion === live.metadata.resourceVersion);

// Only what the store keeps has it; an object that was just read is compared field by field.
const ownershipOf = (live: LiveObject): Ownership | undefined => live['ownership'] as Ownership | undefined;

/** Whether no other writer changed a field of ours since it was sent. */
function isUntouched(desired: DesiredObject, live: LiveObject): boolean {
  const ownership = ownershipOf(live);
  return ownership !== undefined && isStillOurs(desired.manifest(), ownership, live);
}
