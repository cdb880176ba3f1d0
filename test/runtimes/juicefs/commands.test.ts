import { describe, expect, test } from 'vitest';
import { cacheUse, removeCache, status } from '../../../runtimes/juicefs/commands.ts';
import juicefs from '../../../runtimes/juicefs/index.ts';
import type { JuiceFSRuntimeSpec } from '../../../runtimes/juicefs/spec.ts';
import type { RuntimeInput } from '../../../src/constructs/index.ts';
import { community, enterprise, planOf } from './given.ts';

const statesOf = (...given: Parameters<typeof status>) => status(...given).cacheStates;
const mountPath = '/runtime-mnt/juicefs/ml/demo/juicefs-fuse';
const UUID = '0b1c6f5e-8a55-4c3a-9b5c-3f1d2e4a6b70';

/** As `cat .stats` prints them, cut to a few of some hundred lines. */
const communityStats = `juicefs_blockcache_bytes 4194304
juicefs_blockcache_evict 0
juicefs_blockcache_hits 90
juicefs_blockcache_hit_bytes 900
juicefs_blockcache_miss 10
juicefs_blockcache_miss_bytes 300
juicefs_blockcache_writes_bytes 7
`;
const enterpriseStats = `blockcache.blocks: 9720
blockcache.bytes: 40757435762
blockcache.hitBytes: 40717671794
blockcache.hits: 9708
blockcache.miss: 0
blockcache.missBytes: 0
blockcache.writes: 1
`;
const table = (path: string) => `Filesystem 1B-blocks Used Available Use% Mounted on
overlay 103865303040 32212254720 71653048320 32% /
JuiceFS:minio 1125899906842624 87687856128 1125812218986496 1% ${path}
`;

const tier = (quota: string) => ({ tieredstore: { levels: [{ mediumtype: 'SSD' as const, path: '/data', quota }] } });
const dirs = (path: string, more: object = {}) => ({
  tieredstore: { levels: [{ mediumtype: 'SSD' as const, path, quota: '1Gi', ...more }] },
});
const cleanup = (input: RuntimeInput<JuiceFSRuntimeSpec>) => juicefs.bind(input).cleanup;

describe('cache use', () => {
  test('is that of all enterprise workers together', () => {
    const plan = planOf(enterprise());
    expect(cacheUse.commands(plan)).toEqual([
      {
        in: 'worker',
        on: 'every',
        argv: [
          'grep',
          '-a',
          '-e',
          'blockcache',
          '-e',
          'juicefs_used_',
          '-e',
          'object_request',
          '-e',
          'process_start',
          `${mountPath}/.stats`,
        ],
      },
      { in: 'worker', on: 'one', argv: ['df', '-B', '1', mountPath] },
    ]);
    expect(cacheUse.parse([[enterpriseStats, enterpriseStats], [table(mountPath)]], plan)).toEqual({
      cachedBytes: 2 * 40757435762,
      hitRatio: 1,
      throughputRatio: 1,
      totalBytes: 87687856128,
    });
  });
  test('is the average of community readers, who cache each for itself', () => {
    const plan = planOf(community());
    expect(cacheUse.commands(plan).map((command) => command.in)).toEqual(['fuse', 'fuse']);
    const cold = communityStats.replaceAll(/ \d+$/gm, ' 0');
    expect(cacheUse.parse([[communityStats, cold], [table(mountPath)]], plan)).toEqual({
      cachedBytes: 2097152,
      hitRatio: 0.9,
      throughputRatio: 0.75,
      totalBytes: 87687856128,
    });
  });
  test('has no ratio where nothing was read, and no total where nothing is mounted', () => {
    expect(cacheUse.parse([['juicefs_blockcache_bytes 0\n'], [table('/elsewhere')]], planOf(community()))).toEqual({ cachedBytes: 0 });
  });
  test('has a ratio from the first read on', () => {
    const stats = 'juicefs_blockcache_bytes 0\njuicefs_blockcache_hits 0\njuicefs_blockcache_miss 1\n';
    expect(cacheUse.parse([[stats], []], planOf(community()))).toEqual({ cachedBytes: 0, hitRatio: 0 });
  });
  test('is not 0 where a pod has no figures', () => {
    expect(() => cacheUse.parse([['uptime 12\n'], []], planOf(community()))).toThrow('.stats has no blockcache figures: "uptime 12\\n"');
  });
  test('has the size of the volume only from a mount of the volume, or of a directory with a quota', () => {
    const commandsOf = (options: Record<string, string>) =>
      cacheUse.commands(planOf(community({ mount: { mountPoint: 'juicefs:///team', options } }))).map(({ argv }) => argv[0]);
    expect(commandsOf({})).toEqual(['grep']);
    expect(commandsOf({ quota: '1Gi' })).toEqual(['grep', 'df']);
  });
  test('is read from figures that are too long to be printed as integers', () => {
    const stats = 'juicefs_blockcache_bytes 1.099511627776e+12\njuicefs_blockcache_hits 1e3\njuicefs_blockcache_miss 0\n';
    expect(cacheUse.parse([[stats], []], planOf(community()))).toEqual({ cachedBytes: 2 ** 40, hitRatio: 1 });
  });
});

describe('cache states', () => {
  const unknown = { cacheHitRatio: '', cacheThroughputRatio: '', cached: '', cachedPercentage: '' };
  test.each<[string, RuntimeInput<JuiceFSRuntimeSpec>, string]>([
    ['counts the tier once for each worker', enterprise({ spec: tier('20Gi') }), '40.00GiB'],
    [
      'prefers the option of the worker',
      enterprise({ spec: { ...tier('20Gi'), worker: { options: { 'cache-size': '2048' } } } }),
      '4.00GiB',
    ],
    ['is empty if the spec sets no size', enterprise(), ''],
    ['says nothing of a size that it cannot read', enterprise({ spec: { worker: { options: { 'cache-size': '2G' } } } }), ''],
  ])('capacity %s', (_, input, cacheCapacity) => {
    expect(statesOf(planOf(input), { readyWorkers: 2 })).toEqual({ ...unknown, cacheCapacity });
  });
  test('prints what Fluid prints', () => {
    const cache = { cachedBytes: 2464154, hitRatio: 0.9, throughputRatio: 0.9, totalBytes: 4096000 };
    expect(statesOf(planOf(enterprise({ spec: tier('20Gi') })), { readyWorkers: 2, cache })).toEqual({
      cacheCapacity: '40.00GiB',
      cacheHitRatio: '90.0%',
      cacheThroughputRatio: '90.0%',
      cached: '2.35MiB',
      cachedPercentage: '60.2%',
    });
  });
  test('is zero, not empty, once a pod has answered', () => {
    expect(statesOf(planOf(enterprise()), { readyWorkers: 1, cache: { cachedBytes: 0 } })).toEqual({
      cacheCapacity: '',
      cacheHitRatio: '0.0%',
      cacheThroughputRatio: '0.0%',
      cached: '0.00B',
      // How much there is, is not known.
      cachedPercentage: '',
    });
  });
});

describe('size and number of files', () => {
  test('are asked of a worker, which is there before any reader', () => {
    const { ufs } = juicefs.bind(community()).probes;
    expect(ufs?.commands.map((command) => [command.in, command.on])).toEqual([['worker', 'one']]);
    expect(ufs?.parse([[`${table(mountPath).trimEnd()}\n1152\n`]])).toEqual({ totalBytes: 87687856128, files: 1152 });
  });
  test('of a directory without a quota are counted, once', () => {
    const { ufs } = juicefs.bind(community({ mount: { mountPoint: 'juicefs:///team' } })).probes;
    expect(ufs?.commands).toEqual([
      { in: 'worker', on: 'one', argv: ['/usr/local/bin/juicefs', 'summary', '--depth', '0', '--csv', mountPath], timeoutSeconds: 1500 },
    ]);
    expect(ufs?.parse([['PATH,SIZE,DIRS,FILES\n/,13520896,301,3000\n']])).toEqual({ totalBytes: 13520896, files: 3000 });
    expect(() => ufs?.parse([['PATH,SIZE,DIRS,FILES\n']])).toThrow('juicefs summary names no size');
    const plan = planOf(community({ mount: { mountPoint: 'juicefs:///team' } }));
    const seen = { readyWorkers: 1, cache: { cachedBytes: 512 }, ufs: { totalBytes: 1024, files: 2 } };
    expect(statesOf(plan, seen)).toMatchObject({ cachedPercentage: '50.0%' });
  });
  test('are not asked where the user does not want them', () => {
    expect(juicefs.bind(community({ spec: { management: { metadataSyncPolicy: { autoSync: false } } } })).probes.ufs).toBeUndefined();
  });
});

describe('cleaning', () => {
  const status = `2025/06/12 08:30:00.512323 juicefs[7] <INFO>: Meta address: redis://r:6379/0 [interface.go:402]
{
  "Setting": {
    "Name": "minio",
    "UUID": "${UUID}",
    "Storage": "s3"
  },
  "Sessions": [
    { "Sid": 2, "HostName": "n", "MountPoint": "${mountPath}", "ProcessID": 24 },
    { "Sid": 3, "HostName": "n", "MountPoint": "/runtime-mnt/juicefs/ml/demo/sidecar-1/juicefs-fuse", "ProcessID": 7 },
    { "Sid": 4, "HostName": "n", "MountPoint": "sync", "ProcessID": 9 }
  ]
}
`;
  test('leaves blocks that clients of another Dataset of the volume read', () => {
    const { ask, commands } = cleanup(community({ spec: dirs('/a') })) ?? {};
    const found = ask?.parse([[status.replace('"sync"', '"/runtime-mnt/juicefs/ml/demo2/juicefs-fuse"')]]);
    expect(commands?.(found)).toEqual([]);
  });
  test('asks a community volume for its UUID and removes its chunks from every directory of every worker', () => {
    const { ask, commands } = cleanup(community({ spec: dirs('/a:/b c') })) ?? {};
    expect(ask?.commands).toMatchObject([{ in: 'worker', on: 'one' }]);
    expect(ask?.parse([[status]])).toBe(UUID);
    expect(commands?.(UUID)).toEqual([
      { in: 'worker', on: 'every', argv: ['sh', '-c', expect.any(String), 'sh', `/a/${UUID}`, `/b c/${UUID}`], timeoutSeconds: 60 },
    ]);
  });
  test('finds an enterprise volume by its name, without a command', () => {
    const { ask, commands } = cleanup(enterprise({ spec: dirs('/a') })) ?? {};
    expect(ask).toBeUndefined();
    expect(commands?.(undefined)).toMatchObject([{ argv: ['sh', '-c', expect.any(String), 'sh', '/a/vol'] }]);
  });
  test.each(['', 'database is not formatted', '"UUID": ""', '"UUID": "../../etc"', `"UUID": "${UUID}/.."`])(
    'removes nothing when the answer is %j',
    (answer) => {
      const plan = planOf(community());
      expect(() => removeCache.ask?.parse([[answer]], plan)).toThrow('juicefs status names no UUID');
      expect(removeCache.commands(plan, undefined)).toEqual([]);
    },
  );
  test.each<[string, RuntimeInput<JuiceFSRuntimeSpec>]>([
    ['goes with the pod', community({ spec: dirs('/a', { volumeType: 'emptyDir' }) })],
    [
      'is on a volume of the user',
      community({
        spec: {
          ...dirs('/a'),
          volumes: [{ name: 'v', hostPath: { path: '/x' } }],
          worker: { volumeMounts: [{ name: 'v', mountPath: '/a' }] },
        },
      }),
    ],
    ['is memory', community({ spec: dirs('memory') })],
  ])('leaves alone a cache that %s', (_, input) => {
    expect(cleanup(input)?.ask).toBeUndefined();
    expect(cleanup(input)?.commands(UUID)).toEqual([]);
  });
  test('removes what a worker option put elsewhere', () => {
    const input = enterprise({ spec: { ...dirs('/a'), worker: { options: { 'cache-dir': '/elsewhere' } } } });
    expect(cleanup(input)?.commands(undefined)).toMatchObject([{ argv: ['sh', '-c', expect.any(String), 'sh', '/elsewhere/vol'] }]);
  });
  test('takes as long and tries as often as the user says', () => {
    const cleanCachePolicy = { gracePeriodSeconds: 7, maxRetryAttempts: 0 };
    const input = enterprise({ spec: { management: { cleanCachePolicy } } });
    expect(planOf(input).cleaning).toEqual({ attempts: 0, graceSeconds: 7 });
    expect(cleanup(input)?.commands(undefined)).toMatchObject([{ timeoutSeconds: 7 }]);
    expect(planOf(enterprise()).cleaning).toEqual({ attempts: 5, graceSeconds: 60 });
  });
});
