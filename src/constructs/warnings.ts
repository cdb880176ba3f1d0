import type { ContainerPort, EnvVar } from '../api/index.ts';
import { isGoZero } from './go-zeros.ts';
import { entangledVariables, portKey } from './merge.ts';

/**
 * A field that works in part, or that should be written in another way. The controller writes a Warning event and the condition `SpecWarning`.
 */
export interface Warning {
  /** Reason of the event, in CamelCase. */
  readonly reason: string;
  /** Begins with the path of the field. */
  readonly message: string;
}

/**
 * A field that is ignored. As in Fluid, all others have effect.
 * @example
 * ignored('spec.loadMetadata', 'has no effect').message; // → 'spec.loadMetadata: has no effect'
 */
export const ignored = (path: string, why: string): Warning => ({ reason: 'SpecPartlyIgnored', message: `${path}: ${why}` });

/**
 * A list of warnings, without those whose condition does not hold.
 * @example
 * const replicas = 0;
 * warningsOf(replicas === 0 && ignored('spec.replicas', 'there is no worker')).length; // → 1
 */
export const warningsOf = (...parts: readonly (readonly Warning[] | Warning | false | 0 | '' | null | undefined)[]): readonly Warning[] =>
  parts.flatMap((part) => part || []);

/**
 * The fields of an object, such as a mount or a Dataset's spec, that an engine does not read, with the reason for each. One that is false or
 * empty counts as absent. `path` names the object.
 * @example
 * unread({ owner: { uid: 1 } }, 'Dataset: spec', { owner: 'has no effect; objects have no owner' }).length; // → 1
 */
export const unread = <T extends object>(
  object: T | undefined,
  path: string,
  reasons: { readonly [Field in keyof T]?: string },
): readonly Warning[] =>
  Object.entries<string | undefined>(reasons).flatMap(([field, why]) =>
    isGoZero(object?.[field as keyof T]) ? [] : [ignored(`${path}.${field}`, why ?? '')],
  );

/**
 * Data that would lie in a container, and be lost with it.
 * @example
 * notKept('spec.mounts', 'no volume at /data').reason; // → 'DataNotKept'
 */
export const notKept = (path: string, why: string): Warning => ({ reason: 'DataNotKept', message: `${path}: ${why}` });

const CLEAN_POLICIES: readonly string[] = ['', 'OnDemand', 'OnRuntimeDeleted', 'OnFuseChanged'];

/** The API server admits any text, and the node plugin takes what it does not know for the default. */
export function cleanPolicyWarnings(spec: unknown): readonly Warning[] {
  const { fuse } = (spec ?? {}) as { readonly fuse?: { readonly cleanPolicy?: string } };
  const expected = 'expected OnDemand, OnRuntimeDeleted or OnFuseChanged; fuse pods stay until the runtime is deleted';
  return CLEAN_POLICIES.includes(fuse?.cleanPolicy ?? '') ? [] : [ignored('spec.fuse.cleanPolicy', expected)];
}

/**
 * Ports of a container that have the number and the protocol of an earlier one, of which the API server keeps one.
 * @example
 * portWarnings([{ containerPort: 9100 }, { containerPort: 9100 }], 'spec.fuse.ports').length; // → 1
 */
export function portWarnings(ports: readonly ContainerPort[] = [], path: string): readonly Warning[] {
  const known = new Set<string>();
  return ports.flatMap((port, i) => {
    const key = portKey(port);
    if (known.has(key)) return [ignored(`${path}[${i}]`, `an earlier port is ${key} already`)];
    known.add(key);
    return [];
  });
}

/**
 * Variables of a runtime that repeat those of its class or profile in a way that leaves `$(NAME)` in a value as it is.
 * @example
 * const secret = { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } };
 * variableWarnings([secret], [{ name: 'KEY', value: 'a$(KEY)' }], 'spec.fuse.env').length; // → 1
 */
export const variableWarnings = (theirs: readonly EnvVar[] = [], own: readonly EnvVar[] = [], path: string): readonly Warning[] =>
  entangledVariables([...theirs, ...own]).map((name) => ({
    reason: 'SpecAmbiguous',
    message: `${path}[${name}]: $(${name}) in a value stays as it is, since the variable is defined twice and its value comes later`,
  }));
