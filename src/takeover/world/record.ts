/** The record of a take-over, of all that cannot be read from the cluster later: one ConfigMap, which `back` restores from and deletes. */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { KubeObject } from '../../kube/types.ts';

export const RECORD = 'sluice-takeover';

/** Fluid's objects as they were, without what the API server adds to each. */
export interface TakeoverRecord {
  /** Version and UID of the ConfigMap; absent if none exists. */
  readonly resourceVersion?: string;
  readonly uid?: string;
  /** Replicas of Fluid's Deployments, by name. */
  readonly replicas: Readonly<Record<string, number>>;
  readonly objects: Readonly<Partial<Record<RecordedObject, KubeObject>>>;
  /** Values of the installation of Sluice, as its flags and its file gave them. */
  readonly values?: object;
  /** AdvancedStatefulSets. undefined: not recorded yet. */
  readonly workloads?: readonly KubeObject[];
}

export const RECORDED = ['nodePlugin', 'driver', 'service', 'configuration'] as const;
export type RecordedObject = (typeof RECORDED)[number];

/** Thousands of AdvancedStatefulSets are alike. */
const LARGEST = 256 << 20;

/**
 * The record in a ConfigMap; without one, an empty record.
 *
 * threat-model: R-takeover
 *
 * @throws Error for a ConfigMap that is no record
 */
export function recordIn(object: KubeObject | undefined): TakeoverRecord {
  if (!object) return { replicas: {}, objects: {} };
  const { data = {}, binaryData = {} } = object as Pick<KubeObject, never> & {
    readonly data?: Readonly<Record<string, string>>;
    readonly binaryData?: Readonly<Record<string, string>>;
  };
  const { resourceVersion, uid } = object.metadata;
  const workloads = binaryData['workloads'];
  try {
    return {
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(uid !== undefined && { uid }),
      // The casts: `objectOf` wrote them.
      replicas: JSON.parse(data['replicas'] ?? '{}') as TakeoverRecord['replicas'],
      objects: JSON.parse(data['objects'] ?? '{}') as TakeoverRecord['objects'],
      ...(data['values'] !== undefined && { values: JSON.parse(data['values']) as object }),
      ...(workloads !== undefined && {
        workloads: JSON.parse(
          gunzipSync(Buffer.from(workloads, 'base64'), { maxOutputLength: LARGEST }).toString(),
        ) as readonly KubeObject[],
      }),
    };
  } catch (error) {
    throw new Error(`ConfigMap ${object.metadata.namespace}/${RECORD}: expected the record of a take-over, found another content`, {
      cause: error,
    });
  }
}

/** The record as a ConfigMap, to replace the one that was read. */
export function objectOf(namespace: string, { resourceVersion, replicas, objects, values, workloads }: TakeoverRecord): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: RECORD,
      namespace,
      labels: { 'app.kubernetes.io/name': 'sluice-takeover' },
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    data: {
      replicas: JSON.stringify(replicas),
      objects: JSON.stringify(objects),
      ...(values && { values: JSON.stringify(values) }),
    },
    ...(workloads && { binaryData: { workloads: gzipSync(JSON.stringify(workloads)).toString('base64') } }),
  };
}

/** The API server refuses a ConfigMap of more than 1 MiB. */
const LARGEST_RECORD = 1_000_000;

/** A ConfigMap. */
type Contents = KubeObject & Readonly<Partial<Record<'data' | 'binaryData', Readonly<Record<string, string>>>>>;

/** Whether the ConfigMap of a record is small enough. */
export function fits(record: TakeoverRecord): boolean {
  const { data, binaryData = {} } = objectOf('', record) as Contents;
  const ofText = Object.values(data ?? {}).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return Object.values(binaryData).reduce((sum, text) => sum + (text.length * 3) / 4, ofText) <= LARGEST_RECORD;
}

const ASSIGNED = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'selfLink'];
/** Kubernetes counts the templates of a DaemonSet in it; a new one begins at 1. */
const NOT_KEPT: ReadonlySet<string> = new Set(['deprecated.daemonset.template.generation']);

/** An object as a client could create it again. */
export function asWritten({ status: _status, metadata, ...rest }: KubeObject): KubeObject {
  const own = Object.entries(metadata).filter(([field]) => !ASSIGNED.includes(field));
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !NOT_KEPT.has(key));
  // The cast: name and namespace are among those that are left.
  return { ...rest, metadata: { ...Object.fromEntries(own), annotations: Object.fromEntries(annotations) } } as KubeObject;
}
