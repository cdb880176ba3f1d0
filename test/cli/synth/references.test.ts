import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import juicefs from '../../../runtimes/juicefs/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import { BadInput, faultReport } from '../../../src/cli/input/faults.ts';
import { readInput } from '../../../src/cli/input/read.ts';
import { among } from '../../../src/cli/synth/lookup.ts';
import { renderAll } from '../../../src/cli/synth/render.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import * as write from '../../support/objects.ts';

const runtimes = [juicefs, thin];
const settings = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} };
const inA = ({ metadata, ...object }: KubeObject, annotations = {}): KubeObject => ({
  ...object,
  metadata: { ...metadata, namespace: 'a', annotations },
});
const profile = write.thinProfile('p', { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' } });
const source = [
  inA(write.openDataset('images'), { 'data.fluid.io/shared-with': 'b' }),
  inA(write.thinRuntime('images', { profileName: 'p' })),
];
const view = (mountPoint: string): KubeObject => write.datasetObject('view', { mounts: [{ mountPoint }] }, { namespace: 'b' });

const rendered = async (objects: readonly KubeObject[], inCluster: readonly KubeObject[] = []) => {
  const input = readInput([['input', objects.map((each) => stringify(each)).join('---\n')]], runtimes, 'default');
  return (await renderAll(input, { settings, runtimes, elsewhere: among(inCluster) })).datasets.find(({ key }) => key.name === 'view');
};

test('a reference is rendered without a ThinRuntime in the input, from the other Dataset of the input', async () => {
  const found = await rendered([view('dataset://a/images/train'), profile, ...source]);
  expect(found?.manifests.map(({ kind }) => kind)).toEqual(['PersistentVolume', 'PersistentVolumeClaim']);
  expect(found?.manifests[0]).toMatchObject({
    metadata: { annotations: { 'data.fluid.io/reference-consent': 'grant' } },
    spec: {
      csi: { volumeAttributes: { fluid_path: '/runtime-mnt/thin/a/images/thin-fuse', fluid_sub_path: 'train', runtime_name: 'images' } },
    },
  });
});
test('a reference leads to where the volume in the cluster leads', async () => {
  const claimRef = { namespace: 'a', name: 'images' };
  const csi = {
    driver: 'fuse.csi.fluid.io',
    volumeHandle: 'a-images',
    volumeAttributes: { fluid_path: '/runtime-mnt/juicefs/a/images/jfs' },
  };
  const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'a-images' }, spec: { csi, claimRef } };
  const found = await rendered([view('dataset://a/images')], [inA(write.openDataset('images')), volume]);
  expect(found?.manifests[0]).toMatchObject({ spec: { csi: { volumeAttributes: { fluid_path: '/runtime-mnt/juicefs/a/images/jfs' } } } });
});
test('a reference without the consent of the other Dataset is rendered with a warning, since the controller would wait', async () => {
  const [dataset, runtime] = source as [KubeObject, KubeObject];
  const closed = { ...dataset, metadata: { ...dataset.metadata, annotations: {} } };
  const found = await rendered([view('dataset://a/images'), profile, closed, runtime]);
  expect(found?.warnings.join()).toContain(
    'Dataset a/images does not allow namespace b. Unless the installation is open, the controller waits for that. ' +
      'The owner of that Dataset has to list b in its annotation data.fluid.io/shared-with',
  );
  expect((await rendered([view('dataset://a/images'), profile, ...source]))?.warnings).toEqual([]);
});
test.each([
  ['to a Dataset that is nowhere', [view('dataset://a/images')], 'Dataset a/images'],
  [
    'to a Dataset that refers to a third',
    [view('dataset://b/middle'), { ...view('dataset://a/images'), metadata: { name: 'middle', namespace: 'b' } }, profile, ...source],
    'Dataset b/view: spec.mounts[0].mountPoint: expected a Dataset that refers to no other one, found Dataset b/middle, which refers to "dataset://a/images"',
  ],
  [
    'to itself',
    [view('dataset://b/view')],
    'Dataset b/view: spec.mounts[0].mountPoint: expected a reference to another Dataset, found Dataset b/view itself',
  ],
  ['out of the Dataset', [view('dataset://a/images/../x'), profile, ...source], 'a path without ".."'],
] as const)('a reference %s is a fault', async (_, objects, expected) => {
  const error = await rendered(objects).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BadInput);
  expect(faultReport(error as BadInput, 'yaml')).toContain(expected);
});
