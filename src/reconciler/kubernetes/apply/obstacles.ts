import { isConflict, messageOf } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { Failure, DesiredObject } from '../../world.ts';
import { type Owner, ownersInWords } from '../../../planning/owner.ts';

/** An object of this name exists and belongs to another owner. */
export class NameTaken extends Error {
  override readonly name = 'NameTaken';

  constructor(existing: KubeObject, { kind, name }: Owner) {
    super(`it exists already and belongs to ${ownersInWords(existing)}; expected none or one of ${kind} ${name}`);
  }
}

/** Another writer changes an object back as often as it is repaired. */
export class FieldConflict extends Error {
  override readonly name = 'FieldConflict';
}

/** An object of a predecessor is being deleted; the event of its deletion starts the next pass. */
export class Left extends Error {
  override readonly name = 'Left';
}

export const refOf = ({ kind, name }: Pick<DesiredObject, 'kind' | 'name'>): string => `${kind}/${name}`;

export function failureOf(desired: DesiredObject, error: unknown): Failure {
  const object = refOf(desired);
  if (error instanceof NameTaken || error instanceof FieldConflict) return { reason: error.name, object, message: error.message };
  // 409 is a race with another writer: its event starts the next pass.
  return { reason: isConflict(error) || error instanceof Left ? 'Conflict' : 'ApplyFailed', object, message: messageOf(error) };
}
