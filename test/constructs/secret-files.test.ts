import { expect, test } from 'vitest';
import { secretFiles } from '../../src/constructs/index.ts';

test('mounts a Secret in its own directory, to be read only', () =>
  expect(secretFiles('v', 's')).toEqual({
    volume: { name: 'v', secret: { secretName: 's' } },
    mount: { name: 'v', mountPath: '/etc/fluid/secrets/s', readOnly: true },
  }));
test('or in that of another', () => expect(secretFiles('v', 'copy', 's').mount.mountPath).toBe('/etc/fluid/secrets/s'));
test.each([
  ['thin-fuseconfig-a.b', 'thin-fuseconfig-a-b'],
  [`-${'x'.repeat(62)}`, 'x'.repeat(62)],
  [`thin-fuseconfig-${'x'.repeat(60)}`, `fig-${'x'.repeat(60)}`.slice(-63).replace(/^-+/, '')],
])('makes %s the name of a volume', (given, expected) => {
  const { name } = secretFiles(given, 's').volume;
  expect(name).toBe(expected);
  expect(name).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
});
