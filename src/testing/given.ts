import type { DatasetSpec, Mount } from '../api/index.ts';
import type { Facts, RuntimeInput, Settings } from '../constructs/index.ts';

/** What a case says; the rest is as in a new installation, for a dataset `ml/demo` with one mount. */
export interface Given<Spec> {
  readonly name?: string;
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Spec;
  readonly mounts?: readonly Mount[];
  /** Besides `mounts`. */
  readonly dataset?: DatasetSpec;
  readonly datasetAnnotations?: Readonly<Record<string, string>>;
  readonly facts?: Partial<Facts>;
  readonly settings?: Partial<Settings>;
}

/** What planning starts from, complete. UIDs read `uid-of-<kind>`. */
export function planInput<Spec extends object = object>(given: Given<Spec> = {}): RuntimeInput<Spec> {
  const { name = 'demo', namespace = 'ml', annotations = {}, datasetAnnotations = {}, dataset = {}, facts, settings } = given;
  const mounts = given.mounts ?? dataset.mounts ?? [{ mountPoint: 's3://bucket', name: 'data' }];
  return {
    name,
    namespace,
    uid: 'uid-of-runtime',
    annotations,
    // A spec may be empty; whoever needs fields gives them.
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
