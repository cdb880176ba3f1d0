import { describe, expect, test } from 'vitest';
import type { RuntimeInput } from '../../../src/constructs/index.ts';
import type { JuiceFSRuntimeSpec } from '../../../runtimes/juicefs/spec.ts';
import { community, enterprise, mountOptions, planOf, scriptOf, secret } from './given.ts';

const messages = (input: RuntimeInput<JuiceFSRuntimeSpec>) => planOf(input).warnings?.map(({ message }) => message);
const sub = { mountPoint: 'juicefs:///a' };

describe('what Fluid binds is bound, and what is not done is said', () => {
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
  });
  test('a part of a GiB is cut off a quota', () => {
    const input = community({ mount: { ...sub, options: { quota: '1536Mi' } } });
    expect(scriptOf(input, 'fuse')).toContain('--capacity 1\n');
    expect(messages(input)).toEqual(['Dataset: spec.mounts[0].options.quota: JuiceFS counts whole GiB; the rest is cut off']);
  });
  test('a quota among the shared or the secret options is not set', () => {
    const shared = community({ dataset: { sharedOptions: { quota: '10Gi' } } });
    const hidden = community({ mount: { encryptOptions: [secret('metaurl'), secret('quota')] } });
    for (const input of [shared, hidden]) expect(scriptOf(input, 'fuse')).toBe(scriptOf(community(), 'fuse'));
    expect(messages(shared)).toEqual(['Dataset: spec.sharedOptions.quota: is not set; write it into spec.mounts[0].options']);
    expect(messages(hidden)).toEqual(['Dataset: spec.mounts[0].encryptOptions: quota is not set; write it into spec.mounts[0].options']);
  });
  test('an option with a comma is several to the client', () => {
    const input = community({ mount: { options: { a: 'b,allow_other' } }, spec: { worker: { options: { 'c,d': '' } } } });
    expect(mountOptions(input, 'fuse')).toMatchObject({ a: 'b', allow_other: '' });
    expect(messages(input)).toEqual([
      'Dataset: spec.mounts[0].options["a"]: "," and "=" separate mount options; the client sees several',
      'spec.worker.options["c,d"]: "," and "=" separate mount options; the client sees several',
    ]);
  });
});

describe('a name that is nearly a known one', () => {
  test.each(['meta-url', 'metaUrl', 'acces-key', 'tokens'])('%s among the secret options', (name) =>
    expect(messages(community({ mount: { encryptOptions: [secret('metaurl'), secret(name)] } }))?.join()).toMatch(
      new RegExp(`JuiceFS knows no ${name}; did you mean (metaurl|access-key|token)\\?`),
    ),
  );
  test.each(['trash-days', 'access-log', 'block-size', 'cache-size', 'storage-class'])('but not %s', (name) =>
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
