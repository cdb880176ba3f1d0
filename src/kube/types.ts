/**
 * The few shapes that talking to any API server needs. Objects stay exactly as they are on the wire:
 * no classes, no Dates, no field dropped (dates as text keep the microseconds of a Lease).
 */
import type { OwnerReference } from '../api/index.ts';

/** Metadata of every object; rule: kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** Compared as a number by what knows a newer version from an older one: watch-lag.ts, own-writes.ts. Elsewhere only for equality. */
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
  readonly creationTimestamp?: string;
  readonly generation?: number;
  readonly managedFields?: readonly unknown[];
  readonly [field: string]: unknown;
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** One page of a collection. */
export interface KubeList {
  readonly items: readonly KubeObject[];
  /** Where a watch that misses nothing starts; the same on every page of one list. */
  readonly resourceVersion: string;
  /** Present when there are more pages. */
  readonly continue?: string;
  /** The length of the answer, in characters, where there was one over a wire. */
  readonly size?: number;
}

/** A collection of the API: where its objects live and what they are called. */
export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** One object within its collection; `namespace` is left out for what belongs to the cluster. */
export interface ObjectName {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  /** Nothing happened up to this resourceVersion; the object has no other content. */
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject };

/** Where log lines go: pino's calling convention, so that a pino logger fits as it is. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * The type of a kind in version v1 of a group.
 * @example
 * resourceType('apps', 'DaemonSet', 'daemonsets'); // → { group: 'apps', version: 'v1', plural: 'daemonsets', kind: 'DaemonSet', namespaced: true }
 */
export const resourceType = (group: string, kind: string, plural: string, namespaced = true): ResourceType => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced,
});

/** Often half of an object, and nobody reads them. An update without them leaves the server's own as they are. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** `<group>/<version>`, or just the version in the core group. */
export const apiVersionOf = ({ group, version }: Pick<ResourceType, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;
