import { expect, test } from 'vitest';
import { exampleRuntime, openDataset, thinRuntime } from '../support/objects.ts';
import { boundHarness, type Harness } from './harness.ts';

/** As a user, between our look at an object and the write that lets it go; its watch reports it late. */
function editedMeanwhile(at: Harness, kind: string): void {
  at.server.rules.add(
    { verb: 'patch', kind, subresource: '', manager: 'sluice', times: 1 },
    {
      before: () => {
        at.server.hold(kind);
        const { metadata, ...rest } = at.get(kind)!;
        at.put({ ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, note: 'mine' } } });
      },
    },
  );
}

test('a runtime that is edited while its finalizer is removed is released all the same', async () => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  editedMeanwhile(at, 'ThinRuntime');
  at.delete('ThinRuntime');
  await at.advance(3_000);
  at.server.release('ThinRuntime');
  await at.quiet();
  expect(at.get('ThinRuntime')).toBeUndefined();
});

test('a deletion that is answered with 409 again and again is reported, and retried with back-off', async () => {
  const at = await boundHarness([openDataset('demo'), exampleRuntime('demo', { replicas: 2 })]);
  const rule = at.server.rules.refuse(
    { verb: 'delete', kind: 'DaemonSet', manager: 'sluice' },
    { status: 409, reason: 'Conflict', message: 'a backup runs' },
  );
  at.delete('ExampleRuntime');
  await at.advance(120_000);
  expect(at.conditions('ExampleRuntime')['Synced']).toMatch(
    /^False Conflict: DELETE .*daemonsets\/demo-fuse: 409 Conflict: a backup runs$/,
  );
  expect(rule.met).toBeLessThan(60);
  rule.remove();
  await at.advance(120_000);
  expect(at.get('ExampleRuntime')).toBeUndefined();
});
