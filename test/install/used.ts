/** Rights that RBAC grants and requests that were made, in one form: `patch apps/statefulsets`, `get coordination.k8s.io/leases sluice`. */
import type { AuditEvent } from '../../harness/control-plane/audit.ts';

/** rbac.authorization.k8s.io/v1 PolicyRule, as we write it. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const line = (verb: string, group: string, resource: string, name?: string) =>
  `${verb} ${group ? `${group}/` : ''}${resource}${name === undefined ? '' : ` ${name}`}`;

export const granted = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.flatMap((verb) => resourceNames.map((name) => line(verb, group, resource, name)))),
    ),
  );

type Asked = AuditEvent & { readonly objectRef?: { readonly apiGroup?: string } };

/** Each request in both forms, with and without the object's name: a rule may say either. */
export function asked(events: readonly Asked[]): ReadonlySet<string> {
  return new Set(
    events.flatMap(({ verb, objectRef }) => {
      if (!objectRef?.resource) return [];
      const { resource, subresource, apiGroup = '', name } = objectRef;
      const whole = subresource ? `${resource}/${subresource}` : resource;
      // A watch of one object names it in a selector, which the audit log takes for its name.
      return [line(verb, apiGroup, whole), ...(name ? [line(verb, apiGroup, whole, name)] : [])];
    }),
  );
}

/** Requests that were refused, `403` and why left out. */
export const refused = (events: readonly Asked[]): readonly string[] => [
  ...asked(events.filter(({ responseStatus }) => responseStatus?.code === 403)),
];
