import { expect, test } from 'vitest';
import { labelWarnings } from '../../src/constructs/label-warnings.ts';
import { basePlan } from '../../src/constructs/index.ts';
import { planInput } from '../../src/testing/given.ts';
import { namesOf } from '../support/names.ts';

const plan = basePlan({ ...planInput(), runtime: namesOf('thin', 'ThinRuntime') }, { mountType: 'fuse.s3fs', mountDir: 'thin-fuse' });

test('labels that Sluice writes keep its values, and each other value in podMetadata is named', () => {
  const labels = { release: 'mine', team: 'a', 'app.kubernetes.io/managed-by': 'sluice' };
  const annotations = { 'sidecar.istio.io/inject': 'true', note: 'x' };
  const spec = { podMetadata: { labels, annotations }, worker: { podMetadata: { labels: { 'fluid.io/dataset-id': 'x' } } }, fuse: null };
  expect(labelWarnings(plan, spec).map(({ message }) => message)).toEqual([
    'spec.podMetadata.labels[release]: Sluice writes it, with a value of its own',
    'spec.podMetadata.annotations[sidecar.istio.io/inject]: Sluice writes it, with a value of its own',
    'spec.worker.podMetadata.labels[fluid.io/dataset-id]: Sluice writes it, with a value of its own',
  ]);
});
