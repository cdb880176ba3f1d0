import { expect, test } from 'vitest';
import { mountChange } from '../../../src/planning/diff/mount-change.ts';

const row = { path: '/a', source: 's3://a', options: { region: 'eu' } };

test.each([
  ['is mounted as it is wanted', [row], [row], [], []],
  ['is not mounted', [row], [], [], ['/a']],
  ['is wanted no more', [], [row], ['/a'], []],
  ['has another source', [row], [{ ...row, source: 's3://b' }], ['/a'], ['/a']],
  ['has another option', [row], [{ ...row, options: { region: 'us' } }], ['/a'], ['/a']],
  ['lost an option', [{ ...row, options: {} }], [row], ['/a'], ['/a']],
  ['is listed without its options', [row], [{ path: '/a', source: 's3://a' }], [], []],
  ['is listed by its path alone', [row], [{ path: '/a' }], [], []],
])('a row that %s', (_, wanted, mounted, unmount, mount) => {
  const change = mountChange(wanted, mounted);
  expect([change.unmount, change.mount.map(({ path }) => path)]).toEqual([unmount, mount]);
});
