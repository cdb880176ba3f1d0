import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runtimes } from '../../../runtimes/_all.gen.ts';
import { allRuntimes } from '../../../src/cli/settings/config-file.ts';
import { folder } from '../folder.ts';
import { sluice } from '../run.ts';

const moduleOf = (type: string, kind: string) =>
  `export default { runtimes: [{ type: '${type}', engines: ['${type}'], resource: { kind: '${kind}' }, companions: [], env: [], needs() {}, bind() {} }] };`;

describe('sluice.config.js', () => {
  test('adds runtimes', async () => {
    const path = folder({ 'sluice.config.js': moduleOf('acme', 'AcmeRuntime') });
    expect((await allRuntimes(runtimes, undefined, path)).map(({ type }) => type)).toEqual([...runtimes.map(({ type }) => type), 'acme']);
  });
  test('may be of any of four names', async () => {
    for (const name of ['ts', 'mts', 'js', 'mjs'].map((ending) => `sluice.config.${ending}`))
      expect((await allRuntimes([], undefined, folder({ [name]: moduleOf('acme', 'AcmeRuntime') }))).map(({ type }) => type)).toEqual([
        'acme',
      ]);
  });
  test.each([
    ['has an import', "import 'node:path';\nexport default { runtimes: [] };"],
    ['has none', 'export default { runtimes: [] };'],
  ])('that Node takes for CommonJS is refused with a cure when it %s', async (_, text) => {
    const path = folder({ 'package.json': '{ "type": "commonjs" }', 'sluice.config.ts': text });
    const { code, stderr } = await sluice(['crds', '--config', join(path, 'sluice.config.ts')]);
    expect({ code, stderr: stderr.split('\n').find((line) => line.startsWith('sluice: ')) }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/rename it to sluice\.config\.mts, or set "type": "module" in package\.json$/),
    });
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
