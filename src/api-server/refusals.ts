import { ApiError, apiErrorFrom, type RequestName } from '../kube/errors.ts';
import { collectionPath, objectPath } from '../kube/client/paths.ts';
import type { Status } from '../api/index.ts';
import type { ResourceType } from '../kube/types.ts';

/** Which object, or which collection, a request is about. */
export interface Target {
  readonly type: ResourceType;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/**
 * An error of the API server, with the Status that a real one returns. A rule's `before` throws it.
 * @example
 * createApiServer().rules.add({ kind: 'Secret' }, { before: () => { throw new Refusal(403, 'Forbidden', 'secrets is forbidden'); } });
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** HTTP status. */
  readonly status: number;
  /** The Status object. Absent for paths that the server does not serve. */
  readonly body: Status | undefined;

  /** Without a reason the answer has no Status, as for a path that the server does not serve; with an empty one, its Status has none. */
  constructor(status: number, reason: string | undefined, message: string, details?: Status['details']) {
    super(message);
    this.status = status;
    this.body =
      reason === undefined ? undefined : { kind: 'Status', code: status, ...(reason && { reason }), message, ...(details && { details }) };
  }
}

const resourceOf = ({ group, plural }: ResourceType): string => (group === '' ? plural : `${plural}.${group}`);
const detailsOf = ({ type, name }: Target) => ({ ...(name && { name }), kind: type.plural, ...(type.group && { group: type.group }) });

export const notServed = (): Refusal => new Refusal(404, undefined, '404 page not found');

export const notFound = (target: Target): Refusal =>
  new Refusal(404, 'NotFound', `${resourceOf(target.type)} "${target.name}" not found`, detailsOf(target));

export const alreadyExists = (target: Target): Refusal =>
  new Refusal(409, 'AlreadyExists', `${resourceOf(target.type)} "${target.name}" already exists`, detailsOf(target));

export const conflict = (target: Target, why: string): Refusal =>
  new Refusal(409, 'Conflict', `Operation cannot be fulfilled on ${resourceOf(target.type)} "${target.name}": ${why}`, detailsOf(target));
export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export const badRequest = (message: string): Refusal => new Refusal(400, 'BadRequest', message);

export const forbidden = (target: Target, why: string, cause?: string): Refusal =>
  new Refusal(403, 'Forbidden', `${resourceOf(target.type)} "${target.name ?? ''}" is forbidden: ${why}`, {
    ...detailsOf(target),
    ...(cause && { causes: [{ reason: cause, message: why }] }),
  });

export interface FieldFault {
  readonly reason: `FieldValue${'Duplicate' | 'Forbidden' | 'Invalid' | 'NotSupported' | 'Required' | 'TooLong' | 'TooMany' | 'TypeInvalid'}`;
  readonly field: string;
  readonly message: string;
}
export function invalid(target: Target, faults: readonly FieldFault[]): Refusal {
  const { kind, group } = target.type;
  const what = group === '' ? kind : `${kind}.${group}`;
  const list = [...new Set(faults.map(({ field, message }) => `${field}: ${message}`))];
  const said = list.length === 1 ? list[0] : `[${list.join(', ')}]`;
  return new Refusal(422, 'Invalid', `${what} "${target.name ?? ''}" is invalid: ${said}`, {
    ...detailsOf(target),
    kind,
    causes: faults.map(({ reason, field, message }) => ({ reason, field, message })),
  });
}

/** A JSON Patch that does not apply: the answer names no object. */
export const patchFailed = (why: string): Refusal => new Refusal(422, 'Invalid', why);

export const expired = (why: string): Refusal => new Refusal(410, 'Expired', why);

export interface FieldConflict {
  readonly manager: string;
  readonly fields: readonly string[];
}
export function applyConflict(conflicts: readonly FieldConflict[]): Refusal {
  const causes = conflicts.flatMap(({ manager, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with "${manager}"`, field })),
  );
  const count = causes.length;
  const said = conflicts.map(({ manager, fields }) =>
    fields.length === 1 ? `conflict with "${manager}": ${fields[0]}` : `conflicts with "${manager}":\n- ${fields.join('\n- ')}`,
  );
  return new Refusal(409, 'Conflict', `Apply failed with ${count} conflict${count === 1 ? '' : 's'}: ${said.join('\n')}`, { causes });
}

/** As the client of a real server would throw it. */
export function errorFrom(method: string, { type, namespace, name, subresource }: Target, refusal: Refusal): ApiError {
  const path = name === undefined ? collectionPath(type, namespace) : objectPath(type, { namespace, name }, subresource);
  const request: RequestName = { method, path };
  const text = refusal.body ? JSON.stringify(refusal.body) : refusal.message;
  return apiErrorFrom(request, refusal.status, text, { confidential: type.plural === 'secrets' });
}
