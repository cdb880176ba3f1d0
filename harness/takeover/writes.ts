/** The writes of clients, from the audit log of the API server. */
import { auditSince } from '../control-plane/audit.ts';
import type { SharedControlPlane } from '../control-plane/connect.ts';

export interface Write {
  /** `patch statefulsets`, `patch datasets/status`. */
  readonly what: string;
  /** `statefulsets data-1/d0001-worker`. */
  readonly object: string;
  readonly user: string;
  readonly code: number;
}

/** Since a mark; dry runs and commands in pods are none. */
export const writesSince = (plane: SharedControlPlane, mark: number): readonly Write[] =>
  auditSince(plane, mark, () => true)
    .filter(
      ({ stage, verb, requestURI, objectRef }) =>
        stage === 'ResponseComplete' &&
        WRITES.has(verb) &&
        !requestURI.includes('dryRun=') &&
        !NOT_WRITTEN.has(objectRef?.subresource ?? ''),
    )
    .map(({ verb, objectRef: { resource = '', namespace = '', name = '', subresource } = {}, user, responseStatus }) => ({
      what: `${verb} ${resource}${subresource ? `/${subresource}` : ''}`,
      object: `${resource} ${namespace}/${name}`,
      user: user.username,
      code: responseStatus?.code ?? 0,
    }));
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const NOT_WRITTEN: ReadonlySet<string> = new Set(['exec', 'token']);

/** How many of each, the most first: `patch pods 12, create leases 1`. */
export function counted(writes: readonly Pick<Write, 'what'>[]): string {
  const counts = [...Map.groupBy(writes, ({ what }) => what)].map(([what, { length }]) => [what, length] as const);
  return counts
    .toSorted(([, a], [, b]) => b - a)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');
}
