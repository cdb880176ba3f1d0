import type { DatasetSpec, Mount } from '../api/index.ts';
import type { Facts, RuntimeInput, Settings } from '../constructs/index.ts';

/** The fields of a plan's input that a test sets. The rest is as in a new installation, for a Dataset `ml/demo` with one mount. */
export interface Given<Spec> {
  readonly name?: string;
  readonly namespace?: string;
  /** Annotations of the runtime. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Spec of the runtime. Default: empty. */
  readonly spec?: Spec;
  /** Mounts of the Dataset. Default: `s3://bucket`, with the name `data`. */
  readonly mounts?: readonly Mount[];
  /** Other fields of the Dataset. */
  readonly dataset?: DatasetSpec;
  /** Annotations of the Dataset. */
  readonly datasetAnnotations?: Readonly<Record<string, string>>;
  /** Answers to `needs`. Default: none. */
  readonly facts?: Partial<Facts>;
  /** Settings of the installation that differ from the defaults. */
  readonly settings?: Partial<Settings>;
}

/**
 * A complete input for `needs` and `bind`. UIDs read `uid-of-<kind>`.
 * @example
 * const input = planInput({ spec: { cacheSize: '20Gi' }, mounts: [{ mountPoint: 's3://images/train', name: 'images' }] });
 */
export function planInput<Spec extends object = object>(given: Given<Spec> = {}): RuntimeInput<Spec> {
  const { name = 'demo', namespace = 'ml', annotations = {}, datasetAnnotations = {}, dataset = {}, facts, settings } = given;
  const mounts = given.mounts ?? dataset.mounts ?? [{ mountPoint: 's3://bucket', name: 'data' }];
  return {
    name,
    namespace,
    uid: 'uid-of-runtime',
    annotations,
    // The cast: a case whose spec has required fields gives them.
    spec: given.spec ?? ({} as Spec),
    dataset: {
      identity: { namespace, name, uid: 'uid-of-dataset', collides: false },
      annotations: datasetAnnotations,
      spec: { ...dataset, mounts: [...mounts] },
    },
    facts: { ports: {}, secrets: {}, claims: {}, objects: {}, configMaps: {}, pods: {}, ...facts },
    settings: { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {}, ...settings },
  };
}
