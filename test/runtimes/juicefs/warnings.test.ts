import { describe, expect, test } from 'vitest';
import juicefs from '../../../runtimes/juicefs/index.ts';
import type { RuntimeInput } from '../../../src/constructs/index.ts';
import type { JuiceFSRuntimeSpec } from '../../../runtimes/juicefs/spec.ts';
import { type Case, community, enterprise, mountOptions, planOf, scriptOf, secret } from './given.ts';

const messages = (input: RuntimeInput<JuiceFSRuntimeSpec>) => planOf(input).warnings?.map(({ message }) => message);
const sub = { mountPoint: 'juicefs:///a' };

describe('a Dataset that Fluid binds is bound, and ignored fields are reported', () => {
  test('nothing is said of a dataset as it should be', () => {
    expect(messages(community())).toEqual([]);
    expect(messages(enterprise())).toEqual([]);
  });
  test('the second mount is passed over, and its Secrets are not asked for', () => {
    const { dataset, ...rest } = community();
    const second = { mountPoint: 'juicefs:///b', encryptOptions: [secret('token', 'k', 'other')] };
    const input = { ...rest, dataset: { ...dataset, spec: { mounts: [...(dataset.spec.mounts ?? []), second] } } };
    expect(messages(input)).toEqual(['Dataset: spec.mounts: JuiceFS serves the first of 2 mounts']);
    expect(scriptOf(input, 'fuse')).toBe(scriptOf(community(), 'fuse'));
    expect(juicefs.needs(input).secrets).toEqual(juicefs.needs(community()).secrets);
  });
  test('a part of a GiB is cut off a quota', () => {
    const input = community({ mount: { ...sub, options: { quota: '1536Mi' } } });
    expect(scriptOf(input, 'fuse')).toContain('--capacity 1 --create || ');
    expect(messages(input)).toEqual([
      'Dataset: spec.mounts[0].options.quota: expected whole Gi, found "1536Mi"; the directory gets 1Gi, as JuiceFS counts whole GiB',
    ]);
  });
  test('a quota among the shared or the secret options is not set', () => {
    const shared = community({ dataset: { sharedOptions: { quota: '10Gi' } } });
    const hidden = community({ mount: { encryptOptions: [secret('metaurl'), secret('quota')] } });
    for (const input of [shared, hidden]) expect(scriptOf(input, 'fuse')).toBe(scriptOf(community(), 'fuse'));
    expect(messages(shared)).toEqual(['Dataset: spec.sharedOptions.quota: is not set; write it into spec.mounts[0].options']);
    expect(messages(hidden)).toEqual(['Dataset: spec.mounts[0].encryptOptions: quota is not set; write it into spec.mounts[0].options']);
  });
  test.each([
    [{ storage: 'file', bucket: '/srv/jfs/' }, '/srv/jfs/'],
    [{ storage: 'file' }, '/var/jfs'],
    [{ bucket: '/srv/jfs' }, '/srv/jfs'],
  ])('data in a directory of a container, %j, is not kept unless a volume is there', (options, directory) => {
    const volumeMounts = [
      { name: 'v', mountPath: '/srv' },
      { name: 'w', mountPath: '/var/jfs' },
    ];
    const volumes = ['v', 'w'].map((name) => ({ name, hostPath: { path: `/nfs/${name}` } }));
    const said = (spec: JuiceFSRuntimeSpec) => messages(community({ mount: { options }, spec: { replicas: 1, volumes, ...spec } }));
    const lost = (fields: string) =>
      `Dataset: spec.mounts[0].options: the data lies in "${directory}" of each container, and is lost with it; mount one volume there by ${fields}`;
    expect(said({})).toEqual([lost('spec.worker.volumeMounts and spec.fuse.volumeMounts')]);
    expect(said({ worker: { volumeMounts } })).toEqual([lost('spec.fuse.volumeMounts')]);
    expect(said({ replicas: 0, fuse: { volumeMounts } })).toEqual([]);
    expect(said({ worker: { volumeMounts }, fuse: { volumeMounts } })).toEqual([]);
  });
  test('an option without a name is passed over', () => {
    const input = community({ mount: { options: { '': 'x' } }, spec: { worker: { options: { '': '' } } } });
    expect(Object.keys(mountOptions(input, 'fuse'))).not.toContain('');
    expect(messages(input)).toEqual([
      'Dataset: spec.mounts[0].options[""]: has no effect; expected the name of an option, found ""',
      'spec.worker.options[""]: has no effect; expected the name of an option, found ""',
    ]);
  });
  test('an option with a comma is several to the client', () => {
    const input = community({ mount: { options: { a: 'b,allow_other' } }, spec: { worker: { options: { 'c,d': '' } } } });
    expect(mountOptions(input, 'fuse')).toMatchObject({ a: 'b', allow_other: '' });
    expect(messages(input)).toEqual([
      'Dataset: spec.mounts[0].options.a: "," and "=" separate mount options; the client sees several',
      'Dataset: spec.mounts[0].options.a: expected an option of juicefs mount 1.3 or 1.4, found "a"; a client that does not know it ends at its start',
      'spec.worker.options["c,d"]: "," and "=" separate mount options; the client sees several',
    ]);
  });
});

describe('an option goes to the command that knows it', () => {
  const given = (options: Readonly<Record<string, string>>, more: Case = {}) =>
    community({ ...more, mount: { ...more.mount, options: { storage: 's3', bucket: 'b', ...options } } });
  test('settings of the volume to format, of the client to mount, and both get what both know', () => {
    const input = given({ 'trash-days': '7', 'cache-partial-only': 'true', 'storage-class': 'IA' });
    const [format = ''] = scriptOf(input, 'fuse')
      .split('\n')
      .filter((line) => line.includes('juicefs format --'));
    expect(format).toContain('--storage=s3 --bucket=b --storage-class=IA --trash-days=7 ');
    expect(format).not.toContain('partial');
    expect(mountOptions(input, 'fuse')).toMatchObject({ 'cache-partial-only': 'true', 'storage-class': 'IA' });
    expect(mountOptions(input, 'fuse')).not.toHaveProperty('trash-days');
    expect(messages(input)).toEqual([]);
  });
  test('an option that no known command takes goes to mount, since another version may know it, and is reported', () => {
    const input = given({ 'new-in-2.0': '1' });
    expect(scriptOf(input, 'fuse').match(/new-in-2\.0/g)).toHaveLength(1);
    expect(mountOptions(input, 'fuse')).toMatchObject({ 'new-in-2.0': '1' });
    expect(messages(input)).toEqual([
      expect.stringContaining('spec.mounts[0].options["new-in-2.0"]: expected an option of juicefs mount 1.3 or 1.4, found "new-in-2.0"'),
    ]);
  });
  test('a client gets no settings of the volume, which is said', () => {
    const input = given({}, { spec: { fuse: { options: { 'block-size': '4096' } }, worker: { options: { typo: '1' } } } });
    expect(mountOptions(input, 'fuse')).not.toHaveProperty('block-size');
    expect(messages(input)).toEqual([
      expect.stringContaining('spec.worker.options.typo: expected an option of juicefs mount 1.3 or 1.4, found "typo"'),
      "spec.fuse.options.block-size: is a setting of the volume; write it into the options of the Dataset's mount",
    ]);
  });
  test('a secret that format does not know is a variable of the pods alone', () => {
    const input = community({ mount: { encryptOptions: [secret('metaurl'), secret('JFS_RSA_PASSPHRASE')] } });
    expect(scriptOf(input, 'fuse')).not.toContain('PASSPHRASE');
    expect(messages(input)).toEqual([
      'Dataset: spec.mounts[0].encryptOptions: "JFS_RSA_PASSPHRASE" is a variable of the pods; juicefs format has no such option',
    ]);
  });
  test('those of the enterprise edition are as in Fluid', () => {
    expect(messages(enterprise({ mount: { options: { typo: '1' } } }))).toEqual([]);
  });
});

test('a cache of less than 1Mi is none', () => {
  const spec = { tieredstore: { levels: [{ mediumtype: 'MEM' as const, path: '/dev/shm', quota: '40960' }] } };
  expect(messages(community({ spec }))).toEqual([
    'spec.tieredstore.levels[0].quota: 40960 is less than 1Mi, which JuiceFS takes for no cache',
  ]);
});

describe('a name that is nearly a known one', () => {
  test.each(['meta-url', 'metaUrl', 'acces-key', 'tokens'])('%s among the secret options', (name) =>
    expect(messages(community({ mount: { encryptOptions: [secret('metaurl'), secret(name)] } }))?.join()).toMatch(
      new RegExp(`JuiceFS knows no ${name}; did you mean (metaurl|access-key|token)\\?`),
    ),
  );
  test.each(['trash-days', 'no-syslog', 'block-size', 'cache-size', 'storage-class'])('but not %s', (name) =>
    expect(messages(community({ mount: { options: { [name]: '1' } } }))).toEqual([]),
  );
  test('makes an enterprise file system without a login', () => {
    const input = enterprise({ mount: { encryptOptions: [secret('meta-url')] } });
    expect(messages(input)).toEqual([
      'Dataset: spec.mounts[0].encryptOptions: JuiceFS knows no meta-url; did you mean metaurl?',
      expect.stringMatching(/neither a secret option metaurl .* nor token/),
    ]);
  });
  test('a mounted configuration of the client needs no token', () => {
    const spec = { volumes: [{ name: 'conf' }], fuse: { volumeMounts: [{ name: 'conf', mountPath: '/root/.juicefs' }] } };
    expect(messages(enterprise({ mount: { encryptOptions: [] }, spec }))).toEqual([]);
  });
});

test('a DataLoad of the enterprise edition says that clients has no effect, and nothing of options, which are of another program', () => {
  const spec = { dataset: { name: 'demo' }, options: { clients: 'fuse', typo: '1' } };
  const warned = juicefs
    .bind(enterprise())
    .operationWarnings({ kind: 'DataLoad', name: 'warm', namespace: 'ml', uid: 'u', spec, facts: { pods: {} } });
  expect(warned.map(({ message }) => message)).toEqual([
    'spec.options.clients: has no effect; of the enterprise edition the first worker loads, for all clients',
  ]);
});
