import { expect, test } from 'vitest';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { findings } from '../../src/explain/findings.ts';
import { gather } from '../../src/explain/gather.ts';
import { harness } from '../reconciler/harness.ts';
import { openDataset } from '../support/objects.ts';

/** Fields without which a kind cannot be created. */
const NEEDED: Readonly<Record<string, object>> = {
  CacheRuntime: { runtimeClassName: 'absent' },
  ThinRuntime: { profileName: 'absent' },
};
const kinds = runtimes.map(({ resource }) => resource.kind);

test.each(kinds)('a %s that cannot be served is explained: what it waits for, since when, and what to do', async (kind) => {
  const at = await harness({ runtimes });
  at.put(openDataset('demo', { mounts: [{ mountPoint: 'gopher://nowhere', name: 'data' }] }));
  at.put({ apiVersion: 'data.fluid.io/v1alpha1', kind, metadata: { namespace: 'ml', name: 'demo' }, spec: NEEDED[kind] ?? {} });
  await at.quiet();
  const client = at.server.client({ fieldManager: 'a-user' });
  const input = await gather(
    { ...client, list: (type, options) => client.list(type, { ...options, fieldSelector: undefined }) },
    runtimes,
    'ml',
    ['demo'],
  );
  const found = findings({ ...input, now: Date.now() });
  const finding = found.find(({ object }) => object === `${kind} ml/demo`);
  expect(finding).toMatchObject({ healthy: false });
  expect(finding?.causes[0]).toMatchObject({ reason: expect.any(String), message: expect.any(String), toDo: expect.any(String) });
});
