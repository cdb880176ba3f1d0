import { expect, test } from 'vitest';
import { runtimes } from '../../../runtimes/_all.gen.ts';
import { version } from '../../../src/cli/version.ts';
import { sluice } from '../run.ts';

test('lists each default image of each runtime, and Sluice’s own, with what names another one', async () => {
  const { code, stdout, stderr } = await sluice(['images', '-o', 'json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const rows = JSON.parse(stdout) as readonly object[];
  expect(rows).toEqual([
    { image: `sluice:${version()}`, of: 'sluice', setBy: '--image' },
    ...runtimes.flatMap(({ type, images }) => images.map(({ image, variable }) => ({ image, of: type, setBy: variable }))),
  ]);
  expect(rows).toContainEqual({ image: 'alluxio/alluxio-dev:2.9.0', of: 'alluxio', setBy: 'ALLUXIO_FUSE_IMAGE_ENV' });
  expect(rows).toContainEqual({ image: expect.stringContaining('/fluid/init-users:'), of: 'jindo', setBy: 'DEFAULT_INIT_IMAGE_ENV' });
});

test('says where each of them is with the registry of an installation', async () => {
  const { stdout } = await sluice(['images', '--registry', 'mirror.example:5000/cache']);
  const [head, own, ...rest] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^IMAGE +MIRROR +OF +SET BY$/);
  expect(own).toMatch(/^sluice:\S+ +mirror\.example:5000\/cache\/sluice:\S+ +sluice +--image$/);
  expect(rest.find((line) => line.includes('VINEYARD_FUSE'))).toMatch(
    /^registry\.aliyuncs\.com\/vineyard\/vineyard-fluid-fuse:(\S+) +mirror\.example:5000\/cache\/vineyard\/vineyard-fluid-fuse:\1 +vineyard +VINEYARD_FUSE_IMAGE_ENV$/,
  );
});

test.each(['mirror', 'https://mirror.example', 'mirror.example/', 'a b'])('refuses %s, which is no registry', async (text) =>
  expect(await sluice(['images', '--registry', text])).toEqual({
    code: 2,
    stdout: '',
    stderr: `sluice: --registry: expected a registry such as registry.example or registry.example:5000/mirror, found "${text}"\n`,
  }),
);
