/** `sluice image`: runtimes of others in an image. What is built here is read as an archive, and its module is loaded. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { baseImage } from '../../support/base-image.ts';
import { folder } from '../folder.ts';
import { root, sluice } from '../run.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
const PAIR = join(root, 'test/support/pair-runtime/index.ts');
const KIND = 'PairRuntime';
const config = `import pair from '${PAIR}';\nimport { require } from './bundled.mjs';\nexport default { runtimes: [pair], require };\n`;
/** Packages that are bundled, as Sluice's own is, have names of the same use. */
const bundled = `import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url); export { require };\n`;
const inTar = (archive: string, ...members: readonly string[]) =>
  execFileSync('tar', ['-xOf', archive, ...members], { maxBuffer: 64 << 20 });
interface Config {
  readonly architecture: string;
  readonly config: object;
  readonly history: readonly object[];
  readonly rootfs: { readonly diff_ids: readonly string[] };
}
const imageIn = (archive: string) => {
  const [manifest] = JSON.parse(inTar(archive, 'manifest.json').toString()) as [
    { readonly Config: string; readonly RepoTags: readonly string[]; readonly Layers: readonly string[] },
  ];
  return { ...manifest, config: JSON.parse(inTar(archive, manifest.Config).toString()) as Config };
};
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('sluice image', () => {
  let dir: string;
  let out: string;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'sluice-cli-image-'));
    writeFileSync(join(dir, 'package.json'), '{ "name": "made-by-npm-init", "type": "commonjs" }');
    writeFileSync(join(dir, 'sluice.config.mts'), config);
    writeFileSync(join(dir, 'bundled.mjs'), bundled);
    out = join(dir, 'out/image.tar');
    const args = [
      'image',
      '--base',
      baseImage(dir, 'base.tar'),
      '--config',
      join(dir, 'sluice.config.mts'),
      '--name',
      'registry.example/pair:1.0.0',
      '--out',
      out,
    ];
    const { code, stdout, stderr } = await sluice(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      new RegExp(`^registry\\.example/pair:1\\.0\\.0 sha256:[0-9a-f]{64} for arm64, with ${KIND} \\(\\d\\.\\d MB\\): `),
    );
  });

  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test('adds one layer to the layers of the base, and keeps the rest of the base', () => {
    const [before, after] = [imageIn(join(dir, 'base.tar')), imageIn(out)];
    expect(after.RepoTags).toEqual(['registry.example/pair:1.0.0']);
    expect(after.Layers.slice(0, 2)).toEqual(before.Layers);
    expect(after.Layers.map((layer) => `sha256:${sha256(inTar(out, layer))}`)).toEqual(after.config.rootfs.diff_ids);
    expect(after.config.rootfs.diff_ids).toHaveLength(3);
    expect({ ...after.config, history: [], rootfs: {} }).toEqual({ ...before.config, history: [], rootfs: {} });
    expect(after.config.history).toEqual([...before.config.history, { created_by: `sluice image: ${KIND}` }]);
    expect(after.Config).toBe(`${sha256(inTar(out, after.Config))}.json`);
  });
  test('puts a module there that loads without any package', async () => {
    const layer = join(dir, 'layer.tar');
    writeFileSync(layer, inTar(out, imageIn(out).Layers[2] ?? ''));
    const alone = folder({ 'sluice.config.mjs': inTar(layer, 'etc/sluice/sluice.config.mjs').toString() });
    const { code, stdout } = await sluice(['crds', '--config', join(alone, 'sluice.config.mjs')]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`kind: ${KIND}`) });
  });
  test('gives the same bytes each time', async () => {
    const again = join(dir, 'again.tar');
    await sluice([
      'image',
      '--base',
      join(dir, 'base.tar'),
      '--config',
      join(dir, 'sluice.config.mts'),
      '--name',
      'registry.example/pair:1.0.0',
      '--out',
      again,
    ]);
    expect(readFileSync(again).equals(readFileSync(out))).toBe(true);
  });
  test.each([
    [
      'a base of another version',
      { title: 'sluice', version: '0.0.1' },
      `expected an image of Sluice ${version}, as this package is, found sluice 0.0.1`,
    ],
    ['a base that is another image', {}, 'found an image without a title'],
  ])('refuses %s', async (_, labels, message) => {
    const into = folder({ 'sluice.config.mts': config, 'bundled.mjs': bundled });
    const args = [
      '--base',
      baseImage(into, 'base.tar', labels),
      '--config',
      join(into, 'sluice.config.mts'),
      '--name',
      'a:1',
      '--out',
      join(into, 'image.tar'),
    ];
    expect(await sluice(['image', ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
  test.each([
    [
      'a base that is no archive',
      ['--base', PAIR],
      'expected the archive of one image, as `npm run image` and `docker save` write it, found: no tar archive',
    ],
    ['a base that does not exist', ['--base', '/nowhere.tar'], 'found: ENOENT'],
    ['a base without an image', ['--base', 'one.tar'], 'found: no file manifest.json'],
    ['a name without a tag', ['--name', 'registry.example/pair'], '--name: expected an image with a tag other than latest'],
    ['the tag latest', ['--name', 'registry.example/pair:latest'], '--name: expected an image with a tag other than latest'],
    ['a config that does not exist', ['--config', '/nowhere.ts'], '/nowhere.ts: expected a module that can be loaded'],
  ])('refuses %s', async (_, [flag = '', value = ''], message) => {
    const flags = {
      '--base': join(dir, 'base.tar'),
      '--name': 'a:1',
      '--config': join(dir, 'sluice.config.mts'),
      '--out': join(dir, 'no.tar'),
    };
    const wrong = { ...flags, [flag]: value === 'one.tar' ? join(dir, value) : value };
    expect(await sluice(['image', ...Object.entries(wrong).flat()])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
