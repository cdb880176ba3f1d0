import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMountTemplate } from '../../src/api/mount-template.ts';
import { parseFuseConfig } from '../../src/fuse/config.ts';
import { viewOf } from '../../src/fuse/view.ts';

const viewed = (text: object, template?: string, showOptions = false) =>
  JSON.parse(
    viewOf(parseFuseConfig(JSON.stringify(text)), template === undefined ? undefined : parseMountTemplate(template), showOptions),
  ) as object;

test('of every field of config.json, no password, key or token is printed', () => {
  const secret = fc.string({ unit: fc.constantFrom(...'abcXYZ019'), minLength: 12, maxLength: 20 });
  fc.assert(
    fc.property(secret, (hunter) => {
      const volume = { driver: 'd', volumeHandle: `https://u:${hunter}@h/v`, volumeAttributes: { accessKey: hunter, plain: hunter } };
      const config = {
        mounts: [
          { mountPoint: `redis://:${hunter}@redis/1`, options: { token: hunter } },
          { mountPoint: `mysql://u:${hunter}@(db:3306)/x` },
          { mountPoint: `u:${hunter}@host/share` },
          { mountPoint: `https://a.blob/x?sig=${hunter}` },
        ],
        targetPath: '/mnt',
        runtimeOptions: { 'secret-key': hunter, other: hunter },
        persistentVolumeAttrs: { claim: volume },
        persistentVolumeMountOptions: { claim: [`password=${hunter}`, 'ro'] },
      };
      const template = 'program: x\nargs: ["${mount.source}", "${runtime.options.secret-key}", "${volume.attributes.accessKey}"]';
      for (const text of [undefined, template]) expect(JSON.stringify(viewed(config, text))).not.toContain(hunter);
    }),
  );
});

test('the rest is as it is', () => {
  const config = {
    mounts: [{ mountPoint: 'user@host:/data' }, { mountPoint: '10.0.0.1:/export' }, { mountPoint: 's3://bucket/a' }],
    targetPath: '/mnt',
    runtimeOptions: { cache: '10Gi' },
  };
  expect(viewed(config, 'program: x\nargs: ["${runtime.options.cache}"]')).toMatchObject({
    mounts: config.mounts.map(({ mountPoint }) => ({ mountPoint, source: mountPoint.replace('s3://', '') })),
    runtimeOptions: { cache: '10Gi' },
  });
  expect(viewed({ ...config, runtimeOptions: { 'secret-key': 'x' } }, undefined, true)).toMatchObject({
    runtimeOptions: { 'secret-key': 'x' },
  });
});
