/** Datasets and operations of a user, with pods that are simulated. */
import type { KubeObject } from '../../src/kube/types.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  datasetObject,
  jfsDataset,
  jfsRuntime,
  jfsSecret,
  objectsIn,
  openDataset,
  thinProfile,
  thinRuntime,
} from '../../test/support/objects.ts';

export const USERS = 'alerts';

const operation = (kind: string, name: string, spec: object): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind,
  metadata: { name },
  spec,
});
export const load = (name: string, dataset: string): KubeObject =>
  operation('DataLoad', name, { dataset: { name: dataset, namespace: USERS } });

const profile = thinProfile('alerts', {
  fileSystemType: 'fuse.test',
  fuse: { image: 'example.io/fuse', imageTag: 'v1' },
  worker: { image: 'example.io/worker', imageTag: 'v1' },
});
export const thin = (name: string): readonly KubeObject[] => [openDataset(name), thinRuntime(name, { profileName: 'alerts' })];
const juicefs = (name: string): readonly KubeObject[] => [jfsDataset(name), jfsRuntime(name)];
/** One whose Secret does not exist. */
export const lacking = (name: string): readonly KubeObject[] => [
  datasetObject(name, {
    mounts: [
      {
        mountPoint: 'juicefs:///',
        name: 'minio',
        encryptOptions: [{ name: 'metaurl', valueFrom: { secretKeyRef: { name: 'absent', key: 'metaurl' } } }],
      },
    ],
  }),
  jfsRuntime(name),
];

/** Datasets that faults are about; all of them become Bound. */
const DATASETS = ['well', 'failing', 'edited', 'readers'] as const;
/** An engine that reports which reads another node answered. Shared: the nodes have workers of others. */
const alluxio = objectsIn(readFileSync(join(import.meta.dirname, '../../examples/alluxio.yaml'), 'utf8')).map((each) =>
  each.kind === 'Dataset' ? { ...each, spec: { ...(each as { readonly spec?: object }).spec, placement: 'Shared' } } : each,
);
export const healthy: readonly KubeObject[] = [profile, jfsSecret(), ...DATASETS.flatMap(juicefs), ...thin('light'), ...alluxio];
