/** Jindo's configuration for a spec and a Dataset. */
import { describe, expect, test } from 'vitest';
import jindo from '../../../runtimes/jindo/index.ts';
import type { JindoRuntimeSpec } from '../../../runtimes/jindo/spec.ts';
import type { Mount } from '../../../src/api/index.ts';
import { bucket, fsx, given, keys, made, planOf, secret, section } from './given.ts';

const refused = (input: ReturnType<typeof given>) => expect(() => jindo.bind(input));
const mounted = (mount: Partial<Mount>, spec: JindoRuntimeSpec = {}) => given({ mounts: [{ ...bucket, ...mount }], spec });

describe('the engine', () => {
  const engineOf = (env: Record<string, string>, spec: JindoRuntimeSpec = {}, engine?: string) =>
    planOf(given({ spec, settings: { env }, facts: engine === undefined ? {} : { engine } })).engine;
  test.each([
    ['jindocache', {}, {}],
    ['jindofsx', { JINDO_ENGINE_TYPE: 'jindofsx' }, {}],
    ['jindocache', { JINDO_ENGINE_TYPE: 'anything' }, {}],
    ['jindofsx', {}, { jindoVersion: { imageTag: '4.6.8' } }],
    ['jindocache', {}, { jindoVersion: { imageTag: '6.2.0' } }],
    ['jindofsx', { JINDO_SMARTDATA_IMAGE_ENV: 'registry:5000/smartdata:4.6.8' }, {}],
    ['jindocache', { JINDO_SMARTDATA_IMAGE_ENV: 'smartdata:4.6.8' }, { jindoVersion: { imageTag: '6.2.0' } }],
    ['jindocache', { JINDO_SMARTDATA_IMAGE_ENV: 'registry:4.5/smartdata' }, {}],
    ['jindocache', { JINDO_ENGINE_TYPE: 'jindocache' }, { jindoVersion: { imageTag: '4.6.8' } }],
  ])('is %s with %j and %j', (engine, env, spec) => expect(engineOf(env, spec)).toBe(engine));
  test('of a live runtime stays, whatever the installation says', () =>
    expect(engineOf({ JINDO_ENGINE_TYPE: 'jindocache' }, {}, 'jindofsx')).toBe('jindofsx'));
  test.each([
    ['status.valueFile', given({ facts: { engine: 'jindo' } })],
    ['JINDO_ENGINE_TYPE', given({ settings: { env: { JINDO_ENGINE_TYPE: 'jindo' } } })],
    ['the image', given({ spec: { jindoVersion: { imageTag: '3.8.0' } } })],
  ])('JindoFS 3.8, by %s, is refused with the reason', (_, input) =>
    refused(input).toThrow('expected an engine that works, jindocache or jindofsx'),
  );
  test('of all three the labels of nodes are known, so that teardown finds them', () =>
    expect(jindo.engines).toEqual(['jindocache', 'jindofsx', 'jindo']));
  test('has three names: the directory, the label of nodes, the app', () => {
    const { type, engine, app, hostPath, volume } = planOf(fsx());
    expect([type, engine, app, hostPath, volume.mountType]).toEqual([
      'jindo',
      'jindofsx',
      'jindofs',
      '/runtime-mnt/jindo/ml/demo',
      'jindo',
    ]);
  });
});

describe('stores', () => {
  test.each(['jindocache', 'jindofsx'])('S3, COS and OBS: endpoints and plain keys, by %s', (engine) => {
    const mounts = ['s3', 'cos', 'obs'].map((scheme) => ({
      mountPoint: `${scheme}://bucket/`,
      name: scheme,
      options: { [`fs.${scheme}.endpoint`]: `${scheme}.example`, [`fs.${scheme}.accessKeyId`]: 'i', [`fs.${scheme}.accessKeySecret`]: 's' },
    }));
    const input = given({ mounts, settings: { env: { JINDO_ENGINE_TYPE: engine } } });
    const common = section(input, `${engine}-common`, `${engine}.cfg`);
    for (const scheme of ['s3', 'cos', 'obs'])
      expect(common).toMatchObject({
        [`${engine}.${scheme}.endpoint`]: `${scheme}.example`,
        [`${engine}.${scheme}.accessKeyId`]: 'i',
        [`${engine}.${scheme}.accessKeySecret`]: 's',
      });
    expect(section(input, 'jindosdk', 'jindosdk.cfg')).toMatchObject({ 'fs.s3.endpoint': 's3.example', 'fs.obs.accessKeyId': 'i' });
  });
  test('HDFS: every option is a property', () => {
    const options = { 'fs.hdfs.dfs.nameservices': 'cluster', 'fs.hdfs.fs.x': 'y' };
    expect(section(given({ mounts: [{ mountPoint: 'hdfs://cluster/', name: 'h', options }] }), 'jindocache-common')).toMatchObject({
      'jindocache.hdfs.dfs.nameservices': 'cluster',
      'jindocache.hdfs.fs.x': 'y',
    });
  });
  test('a bucket of OSS with the interface of a file system', () =>
    expect(section(mounted({ options: { 'fs.oss.endpoint': 'cn-x.oss-dls.aliyuncs.com' } }), 'jindocache-common')).toMatchObject({
      'jindocache.oss.bucket.bucket.data.lake.storage.enable': 'true',
    }));
  test('two endpoints of OSS: none is that of all buckets', () => {
    const input = given({ mounts: [bucket, { mountPoint: 'oss://b2/', name: 'two', options: { 'fs.oss.endpoint': 'other.example' } }] });
    const client = section(input, 'jindosdk', 'jindosdk.cfg');
    expect(client).toMatchObject({ 'fs.oss.bucket.bucket.endpoint': 'oss.example', 'fs.oss.bucket.b2.endpoint': 'other.example' });
    expect(client).not.toHaveProperty(['fs.oss.endpoint']);
  });
  test.each<[string, Partial<Mount>, string]>([
    ['OSS without an endpoint', { options: {} }, 'the endpoint of the bucket'],
    ['a reference', { mountPoint: 'dataset://a/b' }, 'references are of other runtimes'],
    ['blanks', { mountPoint: 'oss://a b/' }, 'without blanks'],
    ['an option of several lines', { options: { 'fs.oss.endpoint': 'a\nb = c' } }, 'a value of one line'],
    ['one of two keys', { encryptOptions: keys.slice(0, 1) }, 'fs.oss.accessKeySecret too: a store asks for both, found nothing'],
    [
      'one of two keys, the other in plain text',
      { encryptOptions: keys.slice(0, 1), options: { ...bucket.options, 'fs.oss.accessKeySecret': 's' } },
      'fs.oss.accessKeySecret too: a store asks for both, found "it in options"',
    ],
    ['an unknown policy', { options: { ...bucket.options, writePolicy: 'WRITE' } }, 'one of WRITE_AROUND, WRITE_THROUGH, CACHE_ONLY'],
    [
      'DHT that asks again',
      { options: { ...bucket.options, cacheStrategy: 'DHT', metaPolicy: 'ALWAYS' } },
      'since DHT needs metaPolicy ONCE',
    ],
    ['no copies', { options: { ...bucket.options, readCacheReplica: '0' } }, 'a number of copies'],
  ])('%s: refused', (_, mount, expected) => refused(mounted(mount)).toThrow(expected));
  test('text of users is text in XML', () => {
    const { files } = planOf(mounted({ name: '<x>&' }));
    expect(files.data['cacheset.xml']).toContain('<name>&lt;x&gt;&amp;</name>');
  });
});

describe('keys of a store', () => {
  const kept = (input: ReturnType<typeof given>) => JSON.stringify(made(input));
  test('are files, for a version that reads files', () => {
    const { files } = planOf(mounted({ encryptOptions: keys }));
    expect(files.isSecret).toBe(false);
    expect(kept(mounted({ encryptOptions: keys }))).toContain('"path":"bucket/AccessKeyId"');
    expect(jindo.needs(mounted({ encryptOptions: keys })).secrets).toEqual([{ name: 'oss', keys: ['id', 'secret'] }]);
  });
  test('of spec.secret and of options: all of them', () => {
    const text = kept(mounted({ encryptOptions: keys }, { secret: 'whole' }));
    expect(text).toContain('{"secret":{"name":"whole"}},{"secret":{"items":[{"key":"id","path":"bucket/AccessKeyId"}');
  });
  test('are in a Secret of ours, and in no ConfigMap, for an older version', () => {
    const spec: JindoRuntimeSpec = { jindoVersion: { imageTag: '4.5.1' } };
    const input = given({
      mounts: [{ ...bucket, encryptOptions: keys }],
      spec,
      facts: { secrets: { oss: { id: 'aWQ=', secret: 'a2V5' } } },
    });
    expect(jindo.needs(input).secrets).toEqual([{ name: 'oss', keys: ['id', 'secret'], inline: true }]);
    const config = made(input).find(({ metadata }) => metadata.name === 'demo-jindofs-config');
    expect(config?.kind).toBe('Secret');
    expect(atob((config as unknown as { data: Record<string, string> }).data['jindofsx.cfg'] ?? '')).toContain(
      'jindofsx.oss.bucket.bucket.accessKeySecret = key\n',
    );
    expect(
      made(input)
        .filter(({ kind }) => kind === 'ConfigMap')
        .map(({ metadata }) => metadata.name),
    ).toEqual(['demo-jindofs-client-config']);
  });
  test('with line breaks are refused, and not shown', () => {
    const spec: JindoRuntimeSpec = { jindoVersion: { imageTag: '4.5.1' } };
    const facts = { secrets: { oss: { id: btoa('a\nb = c'), secret: 'a2V5' } } };
    refused(given({ mounts: [{ ...bucket, encryptOptions: keys }], spec, facts })).toThrow(
      /data\[id\]: expected one line of text, found "several"/,
    );
  });
  test('two pairs for one bucket are refused', () => {
    const other = [secret('fs.oss.accessKeyId', 'id', 'b'), secret('fs.oss.accessKeySecret', 'secret', 'b')];
    const mounts = [
      { ...bucket, encryptOptions: keys },
      { ...bucket, name: 'two', encryptOptions: other },
    ];
    refused(given({ mounts })).toThrow('oss/id, as another mount of the bucket has');
  });
});

describe('the cache', () => {
  const worker = (level: object) =>
    section(given({ spec: { tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a', ...level }] } } }), 'jindocache-worker');
  test.each([
    [{ quota: '4Gi' }, '4g'],
    [{ quota: '500Mi' }, '500m'],
    [{ quota: '1500M' }, '1430m'],
    [{ path: '/a,/b', quota: '4Gi' }, '2g,2g'],
    [{ path: '/a,/b', quotaList: '1Gi,512Mi' }, '1g,512m'],
  ])('%j is %s', (level, capacities) => expect(worker(level)['storage.data-dirs.capacities']).toBe(capacities));
  test('in memory has one size, however many directories', () =>
    expect(worker({ mediumtype: 'MEM', path: '/a,/b', quotaList: '1Gi,512Mi' })).toMatchObject({
      'storage.ram.cache.size': '1536m',
      'storage.slicelet.buffer.size': '1536m',
      'storage.data-dirs': '/a/ml/demo/jindocache,/b/ml/demo/jindocache',
    }));
  test.each([
    [{ quota: '500m' }, 'at least 1Mi'],
    [{}, 'the size of the level'],
    [{ path: 'a', quota: '1Gi' }, 'an absolute path'],
    [{ path: '/a,/b', quotaList: '1Gi,1Gi,1Gi' }, '2 amounts'],
  ])('%j is refused: %s', (level, expected) => expect(() => worker(level)).toThrow(expected));
});

describe('ports', () => {
  test.each([
    [{}, ['master', 'worker']],
    [{ master: { replicas: 3 } }, ['master', 'raft', 'worker']],
    [{ fuse: { metrics: { enabled: true } } }, ['master', 'worker', 'metrics']],
    [{ networkmode: 'ContainerNetwork' }, []],
    [{ worker: { disabled: true } }, ['master']],
    [{ master: { disabled: true }, worker: { disabled: true } }, []],
  ] as [JindoRuntimeSpec, string[]][])('%j needs %j of the node', (spec, names) =>
    expect((jindo.needs(given({ spec })).ports ?? []).map(({ name }) => name)).toEqual(names),
  );
  test('are in the range of the installation', () =>
    expect(jindo.needs(given({ settings: { portRanges: { jindo: [1000, 1009] } } })).ports?.[0]?.range).toEqual([1000, 1009]));
});

test('three masters on the network of pods listen where Jindo does by itself', () => {
  const input = given({ spec: { networkmode: 'ContainerNetwork', master: { replicas: 3 } }, facts: { ports: {} } });
  expect(planOf(input).ports).toMatchObject({ master: 8101, raft: 8103, worker: 6101 });
});

describe('masters', () => {
  test('cannot become more or fewer', () =>
    refused(given({ spec: { master: { replicas: 3 } }, facts: { masters: 1 } })).toThrow('1, as it was set up'));
  test('are needed by workers', () =>
    refused(given({ spec: { master: { disabled: true } } })).toThrow('workers serve nobody without a master'));
  test('that are disabled leave clients alone, which read the first source', () => {
    const { plan, roles, mounts } = jindo.bind(given({ spec: { master: { disabled: true }, worker: { disabled: true } } }));
    expect([plan.replicas, roles, mounts]).toEqual([{}, ['fuse'], undefined]);
  });
});

test('a mount without a name is at /, and a name may have slashes, as in Fluid', () => {
  const pathsOf = (...names: readonly string[]) =>
    planOf(given({ mounts: names.map((name) => ({ ...bucket, name })) })).sources.map(({ path }) => path);
  expect(pathsOf('')).toEqual(['/']);
  expect(pathsOf('/a', 'b/c')).toEqual(['/a', '/b/c']);
  expect(() => pathsOf('', '/')).toThrow('spec.mounts[1].path: expected a path that no other mount has');
  expect(() => pathsOf('../x')).toThrow('spec.mounts[0].name');
});
