/** A Dataset or a runtime that is given alone, and whose other half the cluster has. */
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
const inDefault = (object: KubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata, namespace: 'default' } });
const profile = write.thinProfile('p', { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' } });
const dataset = inDefault(write.openDataset('images'));
const runtime = inDefault(write.thinRuntime('images', { profileName: 'p' }));

const rendered = (objects: readonly KubeObject[], inCluster: readonly KubeObject[]) => {
  const input = readInput([['input', objects.map((each) => stringify(each)).join('---\n')]], runtimes, 'default');
  return renderAll(input, { settings, runtimes, elsewhere: among([profile, ...inCluster]) });
};

test.each([
  ['a runtime alone, with the Dataset of the cluster', [runtime], [dataset]],
  ['a Dataset alone, with the runtime of the cluster', [dataset], [runtime]],
])('%s', async (_, objects, inCluster) => {
  const whole = await rendered([dataset, runtime], []);
  const { datasets } = await rendered(objects, inCluster);
  expect(datasets.map(({ manifests }) => manifests)).toEqual(whole.datasets.map(({ manifests }) => manifests));
  expect(datasets).toHaveLength(1);
});

test('of two runtimes of the cluster, it is that which serves the Dataset', async () => {
  const at = (object: KubeObject, creationTimestamp: string): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, creationTimestamp },
  });
  const older = at({ ...runtime, kind: 'JuiceFSRuntime', spec: {} }, '2026-01-01T00:00:01Z');
  const served = { ...dataset, status: { runtimes: [{ type: 'thin' }] } };
  const { datasets } = await rendered([dataset], [served, older, at(runtime, '2026-01-01T00:00:02Z')]);
  expect(datasets.map(({ object }) => object.kind)).toEqual(['ThinRuntime']);
});

test('faults of the other half are reported for it, and objects that neither has are missing', async () => {
  const faults = async (inCluster: readonly KubeObject[]) => {
    const error: unknown = await rendered([runtime], inCluster).catch((each: unknown) => each);
    return error instanceof BadInput ? faultReport(error, 'yaml') : error;
  };
  expect(await faults([])).toBe(
    'input:4: ThinRuntime default/images: metadata.name: expected a Dataset default/images, found none in the input',
  );
  expect(await faults([{ ...dataset, spec: { mounts: 5 } }])).toMatch(
    /^input:1: Dataset default\/images: spec\.mounts: expected .*, found 5$/,
  );
});
