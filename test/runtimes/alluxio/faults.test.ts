import { expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import type { AlluxioRuntimeSpec } from '../../../runtimes/alluxio/spec.ts';
import { InvalidSpec } from '../../../src/api/index.ts';
import { given } from './given.ts';

/** `<object> <path>` of each fault; the runtime's are without an object. */
function faultsOf(input: Parameters<typeof given>[0]): readonly string[] {
  try {
    alluxio.bind(given(input));
  } catch (error) {
    if (error instanceof InvalidSpec) return error.faults.map(({ object = error.object ?? '', path }) => `${object} ${path}`.trim());
    throw error;
  }
  return [];
}
const unknown = { name: 'none', mountPath: '/x' };

test('all faults of a runtime and of its Dataset are in one error', () => {
  const spec: AlluxioRuntimeSpec = {
    properties: { 'a b': 'c' },
    master: { replicas: 12, jvmOptions: ['`x`'], ports: { rpc: 5, web: 5 }, volumeMounts: [unknown] },
    worker: { volumeMounts: [unknown, { ...unknown, name: 'neither' }] },
    fuse: { imageTag: 'latest' },
    runAs: { uid: 5, gid: 5, user: 'a b', group: 'c d' },
    tieredstore: {
      levels: [
        { mediumtype: 'SSD', path: 'var/x', quotaList: '1Gi,2Gi' },
        { mediumtype: 'HDD', path: '/var/x,/va r/y' },
      ],
    },
  };
  // The cast: the CRD has no list of modes, as in Fluid.
  const accessModes = ['Sometimes'] as unknown as ['ReadOnlyMany'];
  const dataset = { accessModes, dataRestoreLocation: { path: 's3://x' }, sharedOptions: { 'c d': '' } };
  const mounts = [
    { name: 'a', mountPoint: 's3://b', path: '/x' },
    { name: 'b', mountPoint: 's3://c', path: '/x/../y' },
    { name: 'c', mountPoint: 'nonsense', options: { '=': 'x' } },
    { name: 'd', mountPoint: 'pvc://', path: '/x' },
  ];
  expect(faultsOf({ spec, dataset, mounts }).toSorted()).toEqual([
    'Dataset ml/demo spec.accessModes[0]',
    'Dataset ml/demo spec.dataRestoreLocation.path',
    'Dataset ml/demo spec.mounts[1].path',
    'Dataset ml/demo spec.mounts[2].mountPoint',
    'Dataset ml/demo spec.mounts[2].options',
    'Dataset ml/demo spec.mounts[3].mountPoint',
    'Dataset ml/demo spec.mounts[3].path',
    'Dataset ml/demo spec.sharedOptions',
    'spec.fuse.imageTag',
    'spec.master.jvmOptions[0]',
    'spec.master.ports.web',
    'spec.master.replicas',
    'spec.master.volumeMounts[0].name',
    'spec.properties[a b]',
    'spec.runAs.group',
    'spec.runAs.user',
    'spec.tieredstore.levels[0].path',
    'spec.tieredstore.levels[0].quotaList',
    'spec.tieredstore.levels[1].path',
    'spec.tieredstore.levels[1].quota',
    'spec.worker.volumeMounts[0].name',
    'spec.worker.volumeMounts[1].name',
  ]);
});

test('a name that all mounts share is reported once', () =>
  expect(
    faultsOf({
      dataset: { sharedOptions: { 'c d': '' } },
      mounts: ['a', 'b', 'c'].map((name) => ({ name, mountPoint: `s3://${name}` })),
    }),
  ).toEqual(['Dataset ml/demo spec.sharedOptions']));

test('several masters do not share a journal that is not embedded, wherever a property says so', () => {
  const properties = { 'alluxio.master.journal.type': 'UFS', 'alluxio.standby.master.web.enabled': 'true' };
  expect(faultsOf({ spec: { properties, master: { replicas: 3, properties } } })).toEqual([
    'spec.properties[alluxio.master.journal.type]',
    'spec.properties[alluxio.standby.master.web.enabled]',
    'spec.master.properties[alluxio.master.journal.type]',
    'spec.master.properties[alluxio.standby.master.web.enabled]',
  ]);
});
