/** Reasons in the log, for an operator who asks why something is not done. */
import { expect, test } from 'vitest';
import { JFS_SECRET, jfsDataset, jfsRuntime, jfsSecret, openDataset, thinRuntime } from '../../support/objects.ts';
import { boundHarness, type Harness, harness } from '../harness.ts';

const SAYS = ['waiting', 'no longer waiting', 'repaired', 'applied a change'];
const said = (at: Harness) =>
  at.log
    .filter(({ message }) => SAYS.includes(message))
    .map(({ message, fields }) => [message, fields['key'] ?? fields['object'], fields['reason']].filter(Boolean).join(' '));

test('that a runtime waits is one line, and that it does no longer another one', async () => {
  const at = await harness();
  at.put(jfsDataset('demo'));
  at.put(jfsRuntime('demo'));
  at.start();
  await at.advance(120_000);
  expect(said(at)).toEqual(['waiting ml/demo SecretNotFound']);
  expect(at.log.find(({ message }) => message === 'waiting')?.fields['message']).toContain(`Secret ml/${JFS_SECRET}`);
  at.put(jfsSecret());
  await at.advance(31_000);
  await at.quiet();
  // Workers come up in between, which is another reason.
  expect(said(at).at(-1)).toMatch(/^no longer waiting ml\/demo/);
});
test('another reason is another line', async () => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  at.edit('ThinRuntime', { profileName: 'other' });
  await at.quiet();
  // The volume notes which plan stays in force.
  expect(said(at)).toEqual(['applied a change PersistentVolume/ml-demo', 'waiting ml/demo ThinRuntimeProfileNotFound']);
});
test('that a Dataset has no runtime is one too', async () => {
  const at = await harness();
  at.put(openDataset('demo'));
  await at.quiet();
  expect(said(at)).toEqual(['waiting ml/demo RuntimeNotFound']);
});
test('a trouble that is over within a second is no reason', async () => {
  const at = await harness();
  at.put(openDataset('demo'));
  at.put(thinRuntime('demo', { profileName: 'profile' }));
  await at.quiet();
  expect(at.dataset().phase).toBe('Bound');
  expect(said(at)).toEqual([]);
});
test('an edit is logged as a change, and drift as repaired', async () => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  at.edit('ThinRuntime', { fuse: { image: 'example.io/s3fs', imageTag: 'v2' } });
  await at.quiet();
  expect(said(at)).toEqual(['applied a change DaemonSet/demo-fuse']);
  at.forget();
  const fuse = at.get('DaemonSet', 'demo-fuse')!;
  at.edit('DaemonSet', { template: { ...(fuse['spec'] as { template: object }).template, spec: { containers: [] } } }, 'demo-fuse');
  await at.quiet();
  expect(said(at)).toEqual(['repaired DaemonSet/demo-fuse']);
});
