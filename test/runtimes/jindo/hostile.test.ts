/** Text of users that would be more than text in a file, in a pod or in a command. */
import { describe, expect, test } from 'vitest';
import { configFiles } from '../../../runtimes/jindo/config.ts';
import jindo from '../../../runtimes/jindo/index.ts';
import type { JindoRuntimeSpec } from '../../../runtimes/jindo/spec.ts';
import type { Mount } from '../../../src/api/index.ts';
import { bucket, given, keys, warningsOf } from './given.ts';

const refused = (spec: JindoRuntimeSpec, mount: Partial<Mount> = {}) =>
  expect(() => jindo.bind(given({ spec, mounts: [{ ...bucket, ...mount }] })));
const level = { mediumtype: 'SSD' as const, path: '/a', quota: '1Gi' };

describe('a line of a file', () => {
  test.each(['high', 'low'])('tieredstore.levels[0].%s is a ratio', (field) => {
    const tiered = (said: string) => ({ tieredstore: { levels: [{ ...level, [field]: said }] } });
    for (const said of ['0.9\n[jindocache-server]\na = b', '1.5', '90%', '.5'])
      refused(tiered(said)).toThrow(`spec.tieredstore.levels[0].${field}: expected a ratio from 0 to 1`);
    for (const said of ['0', '0.95', '1', '1.0', '']) refused(tiered(said)).not.toThrow();
  });
  test.each(['jindocache', 'jindofsx'] as const)('is checked where %s reads it, whatever it comes from', (engine) => {
    const none = { common: {}, master: {}, worker: {}, clientCommon: {}, client: {} };
    for (const part of Object.keys(none))
      for (const properties of [{ a: 'b\n[x]' }, { 'a\nb': 'c' }, { a: '\u0001' }])
        expect(() => configFiles(engine, { ...none, [part]: properties }, [])).toThrow('a value of one line');
  });
  test.each(['a]b', '[a', 'a=b', 'a b', '#a', ';a', 'a\u0001', ''])('a property has a name: %j is none', (name) =>
    refused({ fuse: { properties: { [name]: 'x' } } }).toThrow('a name of letters'),
  );
  test.each(['fs.oss.x', 'logger.dir', 'fs.viewfs.link./data', 'a_b-c'])('%s is a name', (name) =>
    refused({ fuse: { properties: { [name]: 'x' } } }).not.toThrow(),
  );
  test.each(['oss://a=b/', 'oss://a]/', 'oss://../x', 'oss:///x', 's3://a#b/'])('%s names no bucket', (mountPoint) =>
    refused({}, { mountPoint }).toThrow('spec.mounts[0].mountPoint: expected'),
  );
  test.each<[string, Partial<Mount>]>([
    ['name', { name: 'a\u0001', path: '/a' }],
    ['path', { path: '/a\u0007' }],
    ['mountPoint', { mountPoint: 'oss://bucket/\u0001' }],
    ['mountPoint', { mountPoint: 'local:///a\u0001' }],
  ])('control characters in %s are refused: no XML has them', (field, mount) =>
    refused({}, mount).toThrow(`spec.mounts[0].${field}: expected`),
  );
});

test.each(['OSS://bucket/x', 'Oss://bucket', 'PVC://claim', 'LOCAL:///mnt'])('%s is refused, as its keys would be ignored', (mountPoint) =>
  refused({}, { mountPoint, encryptOptions: keys }).toThrow('the scheme in small letters'),
);

test('options with keys are named, whatever the store', () => {
  const options = { 'fs.dls.accessKeySecret': 's', 'fs.s3a.access.key': 'k', 'fs.x.Token': 't', 'fs.y': 'z' };
  expect(warningsOf(given({ spec: { replicas: 1 }, mounts: [{ mountPoint: 'dls://b/', name: 'b', options }] }))).toEqual(
    ['fs.dls.accessKeySecret', 'fs.s3a.access.key', 'fs.x.Token'].map((key) =>
      expect.stringContaining(`spec.mounts[0].options[${key}]: stored in plain text in the Dataset and in a ConfigMap`),
    ),
  );
});

describe('a volume of the user', () => {
  test.each(['bigboot-config', 'datavolume-1', 'jindofs-secret-token'])('%s would replace that of Jindo', (name) => {
    const spec = { secret: 's', volumes: [{ name, emptyDir: {} }], worker: { volumeMounts: [{ name, mountPath: '/x' }] } };
    refused({ ...spec, tieredstore: { levels: [level] } }).toThrow(
      `spec.worker.volumeMounts[0].name: expected another name than those of Jindo's volumes`,
    );
  });
  test('a claim neither', () =>
    refused({}, { mountPoint: 'pvc://bigboot-config' }).toThrow('a claim without the name of a volume of Jindo'));
});

test('the directory of the cache is not that of the node', () =>
  refused({ tieredstore: { levels: [{ ...level, path: '/mnt,/' }] } }).toThrow(
    'spec.tieredstore.levels[0].path: expected a directory below /',
  ));

test('one fault is reported once', () => {
  let message = '';
  try {
    jindo.bind(given({ mounts: [{ ...bucket, encryptOptions: keys.slice(0, 1) }] }));
  } catch (error) {
    message = String(error);
  }
  expect(message.split('fs.oss.accessKeySecret too')).toHaveLength(2);
});
