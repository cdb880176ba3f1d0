/** A Dataset on which Fluid ran operations that are over. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import thin from '../../../runtimes/thin/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { GOLDENS, hasGoldens } from '../../upstream/cases.ts';
import { harness } from '../harness.ts';
import { putGolden } from './put-golden.ts';

test.skipIf(!hasGoldens)('a Dataset is deleted though the ended pod of a DataProcess that Fluid ran mounts its claim', async () => {
  const namespace = 'g-dataops-process-job';
  const at = await harness({ runtimes: [thin], prepare: (server) => putGolden(server, join(GOLDENS, 'operations/process-job')) });
  const all = (kind: string) => at.server.all(kind).filter(({ metadata }) => metadata.namespace === namespace);
  const put = (object: KubeObject, status: object) => {
    const { resourceVersion: _, ...metadata } = object.metadata;
    at.server.put({ ...object, metadata, status: { ...(object['status'] as object), ...status } });
  };
  await at.settle();
  const [pod] = all('Pod').filter(({ metadata }) => metadata.labels?.['job-name'] === 'op-processor-job');
  put(pod!, { phase: 'Succeeded' });
  await at.settle();
  await at.quiet();
  expect(all('Job').map(({ metadata }) => metadata.labels?.['data.fluid.io/owner-uid'])).toEqual([undefined]);
  at.server.delete('Dataset', namespace, 'demo');
  await at.quiet();
  expect(all('Dataset')).toEqual([]);
  expect([...all('Job'), ...all('PersistentVolumeClaim')]).toEqual([]);
});
