import { describe, expect, test } from 'vitest';
import { clientsOf } from '../../src/fuse/index.ts';
import { clients, minio, template, withOptions } from './given.ts';

const args = (list: readonly unknown[], value: object = minio) => clients({ args: list }, value)[0]?.args.map((word) => word.join('+'));
const faults = (of: object, value: object = minio) => {
  try {
    clients(of, value);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
};

describe('a reference stands for', () => {
  const value = {
    ...minio,
    mounts: [{ ...minio.mounts[0], mountPoint: 'minio://bucket/a/b', path: '/p' }],
    runtimeOptions: { level: '3' },
    accessModes: ['ReadWriteMany'],
  };
  test.each([
    ['targetPath', minio.targetPath],
    ['mount.target', minio.targetPath],
    ['mount.name', 'minio'],
    ['mount.path', '/p'],
    ['mount.mountPoint', 'minio://bucket/a/b'],
    ['mount.scheme', 'minio'],
    ['mount.source', 'bucket/a/b'],
    ['mount.bucket', 'bucket'],
    ['mount.prefix', 'a/b'],
    ['mount.options.minio-url', 'http://minio:9000'],
    ['mount.options.region:-eu-west-1', 'eu-west-1'],
    ['mount.options.region:-', ''],
    ['runtime.options.level', '3'],
    ['access', 'rw'],
    ['readOnly', 'false'],
  ])('${%s}: %s', (name, expected) => expect(args([`\${${name}}`], value)).toEqual([expected]));
  test('the attributes of the volume behind a claim', () =>
    expect(
      args(['${volume.attributes.server}:${volume.handle}', '-o', '${volume.mountOptions}'], {
        mounts: [{ mountPoint: 'pvc://c' }],
        targetPath: '/t',
        persistentVolumeAttrs: { c: { driver: 'nas', volumeHandle: 'h', volumeAttributes: { server: 's' } } },
        persistentVolumeMountOptions: { c: ['vers=4', 'nolock'] },
      }),
    ).toEqual(['s+:+h', '-o', 'vers=4,nolock']));
  test('a secret only where no other process sees it', () => {
    const [client] = clients({ args: ['${secretFile.minio-access-key}'], env: { KEY: '${secret.minio-access-key}' } }, minio);
    const secret = { file: '/etc/fluid/secrets/minio-secret/minio-access-key' };
    expect(client).toMatchObject({ args: [[{ secret, asFile: true }]], env: { KEY: [{ secret, asFile: false }] } });
  });
  test('nothing else than the text, after $${', () => expect(args(['$${targetPath}'])).toEqual(['${+targetPath}']));
});

describe('arguments', () => {
  test('may depend on there being a value', () => {
    const list = [
      '-f',
      { when: 'readOnly', args: ['-o', 'ro'] },
      { when: 'mount.options.region', args: ['--region', '${mount.options.region}'] },
    ];
    expect(args(list)).toEqual(['-f', '-o', 'ro']);
    expect(args(list, { ...minio, accessModes: ['ReadWriteOnce'], mounts: [{ mountPoint: 'a', options: { region: 'eu' } }] })).toEqual([
      '-f',
      '--region',
      'eu',
    ]);
    expect(args(list, { ...minio, accessModes: ['ReadWriteOnce'], mounts: [{ mountPoint: 'a', readOnly: true }] })).toEqual([
      '-f',
      '-o',
      'ro',
    ]);
  });
  test('may be there for each option but some', () =>
    expect(
      args([{ each: 'mount.options', except: ['minio-access-key', 'minio-access-secret'], args: ['--${option.name}=${option.value}'] }]),
    ).toEqual(['--+minio-url+=+http://minio:9000']));
  test('may be there for each mount of one client', () =>
    expect(
      args([{ each: 'mounts', args: ['${mount.name}=${access}'] }, '${targetPath}'], {
        mounts: [
          { mountPoint: 'a://a', name: 'a' },
          { mountPoint: 'b://b', name: 'b' },
        ],
        targetPath: '/t',
      }),
    ).toEqual(['a+=+ro', 'b+=+ro', '/t']));
});

describe('several mounts', () => {
  const two = (more: object = {}) => ({
    mounts: [
      { mountPoint: 's3://a', name: 'a' },
      { mountPoint: 's3://b', name: 'b', path: '/deep/er/', ...more },
    ],
    targetPath: '/t',
  });
  test('have a client and a directory each, by path or else by name', () =>
    expect(clients({ each: 'mounts', args: ['${mount.bucket}'] }, two()).map(({ target, args: [word] }) => [target, word])).toEqual([
      ['/t/a', ['a']],
      ['/t/deep/er', ['b']],
    ]));
  test('of which one is at / are that directory', () =>
    expect(clients({ each: 'mounts' }, { mounts: [{ mountPoint: 'a', path: '/' }], targetPath: '/t' })[0]?.target).toBe('/t'));
  test.each([
    [
      'a template for one',
      { args: ['${mount.bucket}'] },
      two(),
      'mounts: expected one mount, since the template refers to ${mount.bucket} outside of each: mounts, found 2 mounts',
    ],
    [
      'two of one path',
      { each: 'mounts' },
      two({ path: 'a' }),
      'mounts[1]: expected a path, or else a name, that no other mount has, found /t/a',
    ],
    [
      'a path that leads out',
      { each: 'mounts' },
      two({ path: '../x' }),
      'mounts[1].path: expected a path without ".." and NUL, found "../x"',
    ],
    [
      'one within another, whose directory would be made in that one',
      { each: 'mounts' },
      two({ path: '/a/b' }),
      'mounts[1]: expected a path outside of /t/a, where "a" is mounted: its directory would have to be made in that mount, found /t/a/b',
    ],
    [
      'one of several on all of the dataset',
      { each: 'mounts' },
      two({ path: '/' }),
      'mounts[0]: expected a path outside of /t, where "b" is mounted: its directory would have to be made in that mount, found /t/a',
    ],
    ['one without name', { each: 'mounts' }, { mounts: [{ mountPoint: 'a' }], targetPath: '/t' }, 'mounts[0].name: expected a name'],
  ])('are refused with %s', (_, of, value, message) => expect(faults(of, value)).toContain(message));
});

describe('refuses', () => {
  const one = (option: string) => ({ mounts: [{ mountPoint: 's3://b', options: { o: option } }], targetPath: '/t' });
  test.each([
    [
      'an option that does not exist',
      ['${mount.options.o}'],
      minio,
      'mounts[0].options["o"]: expected an option, since the template refers to ${mount.options.o}, found nothing',
    ],
    ['an option of the runtime that does not exist', ['${runtime.options.o}'], minio, 'runtimeOptions["o"]: expected an option'],
    ['a name that Object has', ['${mount.options.constructor}'], minio, 'mounts[0].options["constructor"]: expected an option'],
    ['NUL', ['${mount.options.o}'], one('a\0b'), 'mounts[0].options["o"]: expected a value without NUL'],
    [
      'a value that would be another option after -o',
      ['-o', 'url=${mount.options.o}'],
      one('x,allow_root'),
      'mounts[0].options["o"]: expected a value without "," and "\\"',
    ],
    ['the same in one argument', ['-ourl=${mount.options.o}'], one('x,allow_root'), 'expected a value without ","'],
    ['a value that would eat the next comma', ['-o', 'url=${mount.options.o},ro'], one('x\\'), 'expected a value without ","'],
    [
      'an argument that would be an option',
      ['${mount.options.o}'],
      one('-oProxyCommand=id'),
      'mounts[0].options["o"]: expected a value that does not begin with "-"',
    ],
    ['the same behind nothing', ['${mount.options.p:-}${mount.options.o}'], one('-x'), 'expected a value that does not begin with "-"'],
    [
      'a bucket that would be an option',
      ['${mount.bucket}'],
      { mounts: [{ mountPoint: 's3://-f' }], targetPath: '/t' },
      'mounts[0].mountPoint: expected a value that does not begin',
    ],
    [
      'a secret in another directory',
      ['${secretFile.o}'],
      one('/etc/fluid/secrets/../../shadow'),
      'mounts[0].options["o"]: expected /etc/fluid/secrets/<secret>/<key>',
    ],
    [
      'a secret in a hidden version of a directory',
      ['${secretFile.o}'],
      one('/etc/fluid/secrets/s/..data/k'),
      'expected /etc/fluid/secrets/<secret>/<key>',
    ],
  ])('%s', (_, list, value, message) => {
    expect(faults({ args: list }, value)).toContain(message);
    expect(faults({ args: list }, value)).not.toMatch(/allow_root|ProxyCommand|shadow/);
  });
  test('nothing of that kind after --, where no client looks for options', () =>
    expect(args(['--', '${mount.options.o}'], one('-x'))).toEqual(['--', '-x']));
  test('each fault once, and all of them', () =>
    expect(faults({ args: ['${mount.options.a}', '${mount.options.a}', '${mount.options.b}'] }).match(/expected/g)).toHaveLength(2));
});

test('a config.json is planned without a look at files: the same values give the same clients', () => {
  const of = template({ args: ['${mount.bucket}'] });
  expect(clientsOf(of, withOptions({}))).toEqual(clientsOf(of, withOptions({})));
});
