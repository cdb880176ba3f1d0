import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import thin from '../../../runtimes/thin/index.ts';
import type { ThinPlan } from '../../../runtimes/thin/plan.ts';
import type { ThinRuntimeSpec } from '../../../src/api/index.ts';
import { base64, fromBase64, type RuntimeInput } from '../../../src/constructs/index.ts';
import { claim, given, secretOption } from './given.ts';

const config = (input: RuntimeInput<ThinRuntimeSpec>) => (thin.bind(input).plan as ThinPlan).config;
const text = (input: RuntimeInput<ThinRuntimeSpec>): string => config(input).data['config.json'] ?? '';
const secretStorage = { env: { THIN_FUSE_CONFIG_STORAGE: 'secret' } };

describe('config.json says what Fluid says, to the letter', () => {
  test('of one plain mount', () =>
    expect(text(given({ namespace: 'g-thin-plain-min', mounts: [{ mountPoint: 's3://bucket', name: 'b' }] }))).toBe(
      '{"mounts":[{"mountPoint":"s3://bucket","name":"b"}],"targetPath":"/runtime-mnt/thin/g-thin-plain-min/demo/thin-fuse","accessModes":["ReadOnlyMany"]}',
    ));
  test('of a path and an access mode', () =>
    expect(
      text(
        given({
          namespace: 'g-thin-container-network',
          dataset: { accessModes: ['ReadWriteMany'] },
          mounts: [{ mountPoint: 'nfs.example:/export', name: 'nfs', path: '/' }],
        }),
      ),
    ).toBe(
      '{"mounts":[{"mountPoint":"nfs.example:/export","name":"nfs","path":"/"}],"targetPath":"/runtime-mnt/thin/g-thin-container-network/demo/thin-fuse","accessModes":["ReadWriteMany"]}',
    ));
  test('of options and of those kept in a Secret', () =>
    expect(
      text(
        given({
          name: 'minio-demo',
          namespace: 'g-thin-minimal-goofys',
          mounts: [
            {
              mountPoint: 'minio://my-first-bucket',
              name: 'minio',
              options: { 'minio-url': 'http://minio:9000' },
              encryptOptions: [
                secretOption('minio-access-secret', 'minio-secret', 'minio-access-secret'),
                secretOption('minio-access-key', 'minio-secret', 'minio-access-key'),
              ],
            },
          ],
        }),
      ),
    ).toBe(
      '{"mounts":[{"mountPoint":"minio://my-first-bucket","options":{"minio-access-key":"/etc/fluid/secrets/minio-secret/minio-access-key","minio-access-secret":"/etc/fluid/secrets/minio-secret/minio-access-secret","minio-url":"http://minio:9000"},"name":"minio"}],"targetPath":"/runtime-mnt/thin/g-thin-minimal-goofys/minio-demo/thin-fuse","accessModes":["ReadOnlyMany"]}',
    ));
  test('of a claim and the volume behind it', () =>
    expect(
      text(
        given({
          namespace: 'g-thin-csi-pv-profile',
          mounts: [{ mountPoint: 'pvc://user-pvc', name: 'p' }],
          facts: {
            claims: {
              other: claim(),
              'user-pvc': {
                uid: 'u',
                volume: 'g-thin-csi-pv-profile-csi-pv',
                mountOptions: ['vers=4', 'noatime'],
                csi: {
                  nodePublishSecretRef: { namespace: 'g-thin-csi-pv-profile', name: 'csi-publish' },
                  volumeHandle: 'h1',
                  volumeAttributes: { server: '1.2.3.4', path: '/share' },
                  driver: 'nas.csi.example',
                },
              },
            },
          },
        }),
      ),
    ).toBe(
      '{"mounts":[{"mountPoint":"pvc://user-pvc","name":"p"}],"targetPath":"/runtime-mnt/thin/g-thin-csi-pv-profile/demo/thin-fuse","persistentVolumeAttrs":{"user-pvc":{"driver":"nas.csi.example","volumeHandle":"h1","volumeAttributes":{"path":"/share","server":"1.2.3.4"},"nodePublishSecretRef":{"name":"csi-publish","namespace":"g-thin-csi-pv-profile"}}},"persistentVolumeMountOptions":{"user-pvc":["vers=4","noatime"]},"accessModes":["ReadOnlyMany"]}',
    ));
});

const parsed = (input: RuntimeInput<ThinRuntimeSpec>) =>
  JSON.parse(text(input)) as { mounts: readonly { options?: object }[]; runtimeOptions?: object };

test("lets an encrypted option win over a plain one, and a mount's own over one of all mounts", () => {
  const input = given({
    dataset: {
      sharedOptions: { a: 'shared', b: 'shared' },
      sharedEncryptOptions: [secretOption('c', 's', 'shared'), secretOption('d', 's', 'shared')],
    },
    mounts: [{ mountPoint: 's3://a', options: { b: 'own', c: 'own' }, encryptOptions: [secretOption('d', 's', 'own')] }],
  });
  expect(parsed(input).mounts[0]?.options).toEqual({
    a: 'shared',
    b: 'own',
    c: '/etc/fluid/secrets/s/shared',
    d: '/etc/fluid/secrets/s/own',
  });
});
test('does not let the options of one mount reach the next', () => {
  const input = given({
    dataset: { sharedOptions: { a: '1' } },
    mounts: [
      { mountPoint: 's3://a', name: 'a', options: { b: '2' } },
      { mountPoint: 's3://b', name: 'b' },
    ],
  });
  expect(parsed(input).mounts.map(({ options }) => options)).toEqual([{ a: '1', b: '2' }, { a: '1' }]);
});
test("keeps the profile's options out, which are for MOUNT_OPTIONS", () =>
  expect(
    parsed(
      given({
        profile: { fileSystemType: 'x', fuse: { image: 'i', options: { profile: '1' } } },
        spec: { fuse: { options: { own: '1' } } },
      }),
    ).runtimeOptions,
  ).toEqual({ own: '1' }));
test('lists no mounts when there are none', () => expect(parsed(given({ mounts: [] })).mounts).toEqual([]));
test('says null for a volume that is not of CSI, where the profile wants no Secret of it', () => {
  const { csi: _, ...local } = claim();
  const profile = { fileSystemType: 'x', fuse: { image: 'i' }, nodePublishSecretPolicy: 'NotMountNodePublishSecret' } as const;
  expect(parsed(given({ profile, mounts: [{ mountPoint: 'pvc://c' }], facts: { claims: { c: local } } }))).toMatchObject({
    persistentVolumeAttrs: { c: null },
  });
});

describe('kept in a Secret', () => {
  const input = given({
    settings: secretStorage,
    mounts: [{ mountPoint: 's3://a', encryptOptions: [secretOption('key', 'keys', 'access')] }],
    facts: { secrets: { keys: { access: base64('pä"ss') } } },
  });
  test('holds the values themselves, which are asked for', () => {
    expect(thin.needs(input).secrets).toEqual([{ name: 'keys', keys: ['access'], inline: true }]);
    expect(JSON.parse(fromBase64(text(input)))).toMatchObject({ mounts: [{ options: { key: 'pä"ss' } }] });
  });
  test('is mounted from there, and the Secrets of the options are not', () => {
    const { config, fusePod } = thin.bind(input).plan as ThinPlan;
    expect(config.kind).toBe('Secret');
    expect(new Set(fusePod.mounted.map(({ volume }) => volume.secret?.secretName))).toEqual(new Set(['demo-fuse-conf']));
  });
  test('is refused while a key is missing', () =>
    expect(() => thin.bind({ ...input, facts: { ...input.facts, secrets: { keys: {} } } })).toThrow(
      'Dataset ml/demo: option key: expected a key "access" in Secret keys, found nothing',
    ));
});
test('is rejected if the controller has an unknown THIN_FUSE_CONFIG_STORAGE', () =>
  expect(() => thin.bind(given({ settings: { env: { THIN_FUSE_CONFIG_STORAGE: 'vault' } } }))).toThrow(
    'expected "configmap" or "secret", found "vault"',
  ));

describe("users' texts stay data", () => {
  // Every character of Unicode. `unit: 'binary'` means the same and costs two seconds before the first run.
  const unit = fc
    .nat(0x10_ffff)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code));
  const name = fc.string({ unit, minLength: 1 });
  const options = fc.dictionary(name, fc.string({ unit }));
  test('in config.json', () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ mountPoint: fc.string({ minLength: 5 }), name, options }), { selector: (mount) => mount.name }),
        (mounts) => {
          fc.pre(mounts.every(({ mountPoint }) => !/^(pvc|dataset):/.test(mountPoint)));
          const wanted = mounts.map(({ options, ...mount }) => ({ ...mount, ...(Object.keys(options).length > 0 && { options }) }));
          const hosts = mounts.some((mount) => mount.options['fluid.fuse.hostvolume']);
          if (!hosts) expect(parsed(given({ mounts })).mounts).toEqual(JSON.parse(JSON.stringify(wanted)));
        },
      ),
    ));
  test('in a Secret, whatever its bytes', () =>
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (value) => fromBase64(base64(value)) === value)));
});
