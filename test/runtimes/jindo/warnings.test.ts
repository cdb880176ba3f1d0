/** Warnings of a spec that works only in part. fields.test.ts has a warning of each field that never has an effect. */
import { describe, expect, test } from 'vitest';
import type { JindoRuntimeSpec } from '../../../runtimes/jindo/spec.ts';
import type { Mount } from '../../../src/api/index.ts';
import { bucket, fsx, given, keys, warningsOf } from './given.ts';

const spec = { replicas: 1 };
const local = { mountPoint: 'local:///mnt', name: 'disk' };

test('nothing is said of a plain spec', () =>
  expect(warningsOf(given({ spec, mounts: [{ ...bucket, encryptOptions: keys }] }))).toEqual([]));
test.each<[string, JindoRuntimeSpec]>([
  ['spec.replicas: says nothing', {}],
  ['spec.master.replicas: expected 1 or 3, found 2; there is one master', { ...spec, master: { replicas: 2 } }],
  [
    'spec.tieredstore.levels[1]',
    {
      ...spec,
      tieredstore: {
        levels: [
          { mediumtype: 'SSD', path: '/a', quota: '1Gi' },
          { mediumtype: 'HDD', path: '/b' },
        ],
      },
    },
  ],
  ['spec.master.properties[namespace.rpc.port]: the other pods', { ...spec, master: { properties: { 'namespace.rpc.port': '1' } } }],
  ['spec.fuse.metrics.scrapeTarget: has no effect while', { ...spec, fuse: { metrics: { scrapeTarget: 'All' } } }],
  ['spec.fuse.cleanPolicy', { ...spec, fuse: { cleanPolicy: 'Never' as 'OnDemand' } }],
])('%s', (message, said) => expect(warningsOf(given({ spec: said }))).toEqual([expect.stringContaining(message)]));

describe('options', () => {
  test('that a mount does not read are named', () =>
    expect(
      warningsOf(
        given({
          spec,
          mounts: [
            { ...bucket, options: { ...bucket.options, 'fs.oss.x': 'y' } },
            { ...local, options: { a: 'b' } },
          ],
        }),
      ),
    ).toEqual([
      'Dataset: spec.mounts[0].options[fs.oss.x]: has no effect; write it into spec.fuse.properties',
      'Dataset: spec.mounts[1].options[a]: has no effect; write it into spec.fuse.properties',
    ]));
  test('of all mounts are named only if no mount reads them', () =>
    expect(
      warningsOf(
        given({
          spec,
          mounts: [{ mountPoint: 'oss://b/', name: 'b' }, local],
          dataset: { sharedOptions: { 'fs.oss.endpoint': 'e', 'fs.s3.region': 'r' }, sharedEncryptOptions: keys },
        }),
      ),
    ).toEqual(['Dataset: spec.sharedOptions[fs.s3.region]: has no effect; no mount reads it']));
  test('with keys of all mounts are named if no mount is of a store that has keys', () => {
    const said = (mount: Mount) => warningsOf(given({ spec, mounts: [mount], dataset: { sharedEncryptOptions: keys } }));
    expect(said(bucket)).toEqual([]);
    const unread = ['fs.oss.accessKeyId', 'fs.oss.accessKeySecret'].map(
      (name) => `Dataset: spec.sharedEncryptOptions: "${name}" has no effect; no mount reads it`,
    );
    expect(said(local)).toEqual(unread);
    expect(said({ mountPoint: 's3://b/', name: 'b', options: { 'fs.s3.endpoint': 'e', 'fs.s3.region': 'r' } })).toEqual(unread);
  });
  test('with keys in plain text have a better place, and in both places only that counts', () => {
    const options = { ...bucket.options, 'fs.oss.accessKeyId': 'i', 'fs.oss.accessKeySecret': 's' };
    expect(warningsOf(given({ spec, mounts: [{ ...bucket, options }] }))).toEqual([
      expect.stringContaining('options[fs.oss.accessKeyId]: stored in the Dataset and in a ConfigMap; use encryptOptions'),
      expect.stringContaining('options[fs.oss.accessKeySecret]: stored'),
    ]);
    expect(warningsOf(given({ spec, mounts: [{ ...bucket, options, encryptOptions: keys }] }))).toEqual([
      expect.stringContaining('has no effect; encryptOptions has it too'),
      expect.stringContaining('has no effect; encryptOptions has it too'),
    ]);
  });
});

test('JindoFSx has no sets, no metrics, and a core-site.xml of its own', () => {
  const input = fsx({
    spec: { ...spec, hadoopConfig: 'h', fuse: { metrics: { enabled: true } } },
    mounts: [{ ...bucket, options: { ...bucket.options, metaPolicy: 'ONCE' } }],
    facts: { configMaps: { h: ['core-site.xml'] } },
  });
  expect(warningsOf(input)).toEqual([
    expect.stringContaining('spec.fuse.metrics.enabled'),
    expect.stringContaining('spec.hadoopConfig'),
    expect.stringContaining('options[metaPolicy]'),
  ]);
});
test('clients alone read one mount: each other one is named', () => {
  const alone = { master: { disabled: true }, worker: { disabled: true } };
  expect(warningsOf(given({ spec: alone, mounts: [bucket, { ...bucket, name: 'b' }, { ...bucket, name: 'c' }] }))).toEqual(
    [1, 2].map((i) => `Dataset: spec.mounts[${i}]: has no effect; without masters, clients read the first mount alone`),
  );
});
