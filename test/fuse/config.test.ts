import { describe, expect, test } from 'vitest';
import { InvalidSpec } from '../../src/api/index.ts';
import { parseFuseConfig } from '../../src/fuse/index.ts';
import { config, minio } from './given.ts';

const refusal = (text: string): InvalidSpec => {
  try {
    parseFuseConfig(text, '/etc/fluid/config.json');
  } catch (error) {
    if (error instanceof InvalidSpec) return error;
  }
  throw new Error('was accepted');
};

describe('config.json', () => {
  test('of the walk-through is read as it is', () =>
    expect(config(minio)).toEqual({
      mounts: [{ ...minio.mounts[0], scheme: 'minio', source: 'my-first-bucket', readOnly: false, shared: false }],
      targetPath: minio.targetPath,
      accessModes: ['ReadOnlyMany'],
      readOnly: true,
      runtimeOptions: {},
      persistentVolumes: {},
      secretOptions: [],
    }));
  test('of a claim has what stands behind it', () => {
    const { persistentVolumes } = config({
      mounts: [{ mountPoint: 'pvc://c' }],
      targetPath: '/t',
      persistentVolumeAttrs: {
        c: { driver: 'nas', volumeHandle: 'h', volumeAttributes: { server: 's' }, nodePublishSecretRef: {} },
        d: null,
      },
      persistentVolumeMountOptions: { c: ['vers=4', 'ro'] },
    });
    expect(persistentVolumes).toEqual({
      c: { csi: { driver: 'nas', volumeHandle: 'h', volumeAttributes: { server: 's' } }, mountOptions: ['vers=4', 'ro'] },
      d: { mountOptions: [] },
    });
  });
  test.each([
    [[], true],
    [['ReadOnlyMany'], true],
    [['ReadWriteMany'], false],
    [['ReadOnlyMany', 'ReadWriteOnce'], false],
  ])('with access modes %j is read-only: %j', (accessModes, readOnly) =>
    expect(config({ mounts: [], targetPath: '/t', accessModes }).readOnly).toBe(readOnly),
  );
  test.each([
    ['minio://bucket/a/b', 'minio', 'bucket/a/b'],
    ['10.0.0.1:/export', undefined, '10.0.0.1:/export'],
    ['curvine:///data', 'curvine', '/data'],
    ['token@x://RDMA://10.0.0.1:8000', undefined, 'token@x://RDMA://10.0.0.1:8000'],
    ['s3+tls://a\n://b', 's3+tls', 'a\n://b'],
  ])('of mount point %j has scheme %j and source %j', (mountPoint, scheme, source) => {
    const [mount] = config({ mounts: [{ mountPoint }], targetPath: '/t' }).mounts;
    expect([mount?.scheme, mount?.source]).toEqual([scheme, source]);
  });
  test('may have fields that are not known yet, and options with any name', () => {
    const [mount] = parseFuseConfig(
      '{"mounts":[{"mountPoint":"a","new":1,"options":{"__proto__":"x"}}],"targetPath":"/t","more":[]}',
    ).mounts;
    expect(Object.entries(mount?.options ?? {})).toEqual([['__proto__', 'x']]);
  });
});

describe('an error', () => {
  test('says in which file and field what was expected and found, all at once', () =>
    expect(refusal('{"mounts":[{},{"mountPoint":"a","readOnly":"no"}],"targetPath":"t"}').message).toBe(
      [
        '/etc/fluid/config.json: mounts[0].mountPoint: expected a string of at least 1 character, found nothing',
        'mounts[1].readOnly: expected true or false, found something else, which is not shown',
        'targetPath: expected a string that matches ^/, found "t"',
      ].join('; '),
    ));
  test.each([
    ['text that is no JSON', '{"mounts":[{"options":{"key":"hunter2"'],
    ['an option that is no text', '{"mounts":[{"mountPoint":"a","options":{"key":["hunter2"]}}],"targetPath":"/t"}'],
    ['a list in the wrong place', '["hunter2"]'],
    ['a mount point that is none', '{"mounts":[{"mountPoint":{"hunter2":1}}],"targetPath":"/t"}'],
    ['options of a volume', '{"mounts":[],"targetPath":"/t","persistentVolumeMountOptions":{"c":"hunter2"}}'],
  ])('never quotes %s', (_, text) => {
    const error = refusal(text);
    expect([error.message, String(error.stack), JSON.stringify(error), String(error.cause)].join()).not.toContain('hunter2');
  });
  test.each(['/a/../../b', 'relative', ''])('refuses to mount on %j', (targetPath) =>
    expect(refusal(JSON.stringify({ mounts: [], targetPath })).faults).toMatchObject([{ path: 'targetPath' }]),
  );
});
