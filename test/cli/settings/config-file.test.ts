import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runtimes } from '../../../runtimes/_all.gen.ts';
import { allRuntimes } from '../../../src/cli/settings/config-file.ts';
import { folder } from '../folder.ts';
import { sluice } from '../run.ts';

const moduleOf = (type: string, kind: string) =>
  `export default { runtimes: [{ type: '${type}', engines: ['${type}'], resource: { kind: '${kind}' }, companions: [], env: [], needs() {}, bind() {} }] };`;

describe('the module of --config', () => {
  test('adds runtimes', async () => {
    const path = folder({ 'sluice.config.js': moduleOf('acme', 'AcmeRuntime') });
    const all = await allRuntimes(runtimes, 'sluice.config.js', { folder: path });
    expect(all.map(({ type }) => type)).toEqual([...runtimes.map(({ type }) => type), 'acme']);
  });
  test('is not loaded from the current directory without the flag, and a warning says so', async () => {
    for (const name of ['ts', 'mts', 'js', 'mjs'].map((ending) => `sluice.config.${ending}`)) {
      const warnings: string[] = [];
      const path = folder({ [name]: moduleOf('acme', 'AcmeRuntime') });
      expect(await allRuntimes([], undefined, { folder: path, warn: (line) => warnings.push(line) })).toEqual([]);
      expect(warnings).toEqual([`sluice: ${name} in the current directory is not loaded; to load it: --config ${name}`]);
    }
  });
  test.each([
    [
      'has an import',
      { 'sluice.config.ts': "import 'node:path';\nexport default { runtimes: [] };" },
      'rename it and what it imports to .mts',
    ],
    ['has none', { 'sluice.config.ts': 'export default { runtimes: [] };' }, 'Node takes the file for CommonJS: set "type": "module"'],
    [
      'imports one',
      { 'sluice.config.mts': "export { default } from './index.ts';", 'index.ts': 'export default { runtimes: [] };' },
      'Node takes a file that it imports for CommonJS: set "type": "module"',
    ],
  ])('that Node takes for CommonJS is refused with a cure when it %s', async (_, files: Readonly<Record<string, string>>, cure) => {
    const path = folder({ 'package.json': '{ "type": "commonjs" }', ...files });
    const { code, stderr } = await sluice(['crds', '--config', join(path, Object.keys(files)[0] ?? '')]);
    expect({ code, stderr: stderr.split('\n').find((line) => line.startsWith('sluice: ')) }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(cure),
    });
  });
  test.each([
    ['has a twin', moduleOf('acme', 'ThinRuntime'), 'expected each kind and each type of runtime once, found ThinRuntime (acme) twice'],
    ['exports something else', 'export default [];', 'expected `export default { runtimes: [...] }` with values of defineRuntime()'],
    ['cannot be loaded', 'import "./nowhere.js";', 'expected a module that can be loaded, found: '],
  ])('is refused when it %s', async (_, text, message) => {
    const path = folder({ 'my.config.js': text });
    await expect(allRuntimes(runtimes, 'my.config.js', { folder: path })).rejects.toThrow(message);
  });
});
