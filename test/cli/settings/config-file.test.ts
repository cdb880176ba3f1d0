import { describe, expect, test } from 'vitest';
import { runtimes } from '../../../runtimes/_all.gen.ts';
import { allRuntimes } from '../../../src/cli/settings/config-file.ts';
import { folder } from '../folder.ts';

const moduleOf = (type: string, kind: string) =>
  `export default { runtimes: [{ type: '${type}', engines: ['${type}'], resource: { kind: '${kind}' }, companions: [], env: [], needs() {}, bind() {} }] };`;

describe('sluice.config.js', () => {
  test('adds runtimes', async () => {
    const path = folder({ 'sluice.config.js': moduleOf('acme', 'AcmeRuntime') });
    expect((await allRuntimes(runtimes, undefined, path)).map(({ type }) => type)).toEqual([...runtimes.map(({ type }) => type), 'acme']);
  });
  test.each([
    ['has a twin', moduleOf('acme', 'ThinRuntime'), 'expected each kind and each type of runtime once, found ThinRuntime (acme) twice'],
    ['exports something else', 'export default [];', 'expected `export default { runtimes: [...] }` with values of defineRuntime()'],
    ['cannot be loaded', 'import "./nowhere.js";', 'expected a module that can be loaded, found: '],
  ])('is refused when it %s', async (_, text, message) => {
    const path = folder({ 'my.config.js': text });
    await expect(allRuntimes(runtimes, 'my.config.js', path)).rejects.toThrow(message);
  });
});
