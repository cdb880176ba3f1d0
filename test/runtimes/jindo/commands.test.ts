/** Questions to a running Jindo, its answers, and the statuses that follow. */
import { describe, expect, test } from 'vitest';
import jindo from '../../../runtimes/jindo/index.ts';
import { readMounts } from '../../../runtimes/jindo/mount-table.ts';
import { readCount, readReport } from '../../../runtimes/jindo/probes.ts';
import { bucket, fsx, given } from './given.ts';

const REPORT = `Namespace Address: localhost:18000
Live Nodes: 2
Total Disk Capacity: 250.38GB
Used Disk Capacity: 11.72GB
Total MEM Capacity: 100MB
Used MEM Capacity: 512B
`;
const GI = 1024 ** 3;

describe('the report', () => {
  test('has both media', () => {
    expect(readReport(REPORT, false)).toEqual({ capacity: 250.38 * GI, used: 11.72 * GI });
    expect(readReport(REPORT, true)).toEqual({ capacity: 100 * 1024 ** 2, used: 512 });
  });
  test('that says nothing of what was not measured', () =>
    expect(jindo.bind(given()).status({ readyWorkers: 1, cache: readReport(REPORT, false) }).cacheStates).toEqual({
      cacheCapacity: '250.38GiB',
      cached: '11.72GiB',
      cachedPercentage: '',
    }));
  test('with what is no number is an error', () =>
    expect(() => readReport(REPORT.replaceAll('250.38', '1.2.3'), false)).toThrow('no Disk capacity'));
  test('without a capacity is an error that quotes it', () => expect(() => readReport('refused', true)).toThrow('refused'));
  test('is in the status of Dataset and runtime; nothing is cached beyond all of the data', () => {
    const { status } = jindo.bind(given());
    const cache = readReport(REPORT, false);
    expect(status({ readyWorkers: 1, cache, ufs: { totalBytes: 2 * GI } })).toEqual({
      cacheStates: { cacheCapacity: '250.38GiB', cached: '11.72GiB', cachedPercentage: '100.0%' },
      hcfs: { endpoint: 'demo-jindofs-master-0.ml:18001' },
    });
    expect(status({ readyWorkers: 0 }).cacheStates).toEqual({ cacheCapacity: '', cached: '', cachedPercentage: '' });
  });
  test('is that of any master', () => {
    const commands = (input: ReturnType<typeof given>) => jindo.bind(input).probes.cache?.commands.map(({ on, argv }) => [on, ...argv]);
    expect(commands(given())).toEqual([['first', 'jindocache', '-report']]);
    expect(commands(fsx({ spec: { master: { replicas: 3 } } }))).toEqual([['one', 'jindo', 'fs', '-report']]);
  });
});

describe('the size of the data', () => {
  const env = { QUERY_UFS_TOTAL: 'true' };
  const mounts = [bucket, { ...bucket, name: 'two' }];
  test('is counted only if the installation says so', () => {
    expect(jindo.bind(given()).probes.ufs).toBeUndefined();
    expect(jindo.bind(given({ settings: { env }, mounts })).probes.ufs?.commands.map(({ argv }) => argv)).toEqual([
      ['jindo', 'fs', '-count', 'jindo:///data'],
      ['jindo', 'fs', '-count', 'jindo:///two'],
    ]);
    expect(jindo.bind(fsx({ settings: { env } })).probes.ufs?.commands[0]?.argv.slice(0, 3)).toEqual(['hadoop', 'fs', '-count']);
  });
  test('is the sum of all mounts, in bytes and in files', () => {
    const line = '           1           12        154262709011 jindo:///data\n';
    expect(jindo.bind(given({ settings: { env }, mounts })).probes.ufs?.parse([[line], [line]])).toEqual({
      totalBytes: 308_525_418_022,
      files: 24,
    });
    expect(() => readCount('count: No such file')).toThrow('No such file');
  });
});

describe('the table of mounts', () => {
  test('is read among other lines', () => {
    expect(readMounts('oss://bucket/data/ on /data (jindo)\n  s3://b/c on /x\nerror at /x for oss://b\nMounted 2\n')).toEqual([
      { path: '/data', source: 'oss://bucket/data/' },
      { path: '/x', source: 's3://b/c' },
    ]);
  });
  test('has addresses as users wrote them', () => {
    const { mounts } = jindo.bind(given());
    expect(mounts?.list.parse([[`oss://bucket/data/ on /data\n${setsOf(given())}`]])).toEqual(mounts?.wanted);
    expect(mounts?.list.parse([[`oss://bucket/other on /data\n${setsOf(given())}`]])).toEqual([
      { path: '/data', source: 'oss://bucket/other' },
    ]);
  });
  /** The list of a JindoCache that was given the sets of this input. */
  const setsOf = (input: ReturnType<typeof given>) => {
    const [, record] = /^echo '(.*)' > /m.exec(jindo.bind(input).mounts?.change({ unmount: [], mount: [] })[0]?.argv[2] ?? '') ?? [];
    return `path: x cacheStrategy: DISTRIBUTED\n${record}\n`;
  };
  test('of a JindoCache without its sets has none that is wanted, so that they are made again', () => {
    const text = 'oss://bucket/data/ on /data\noss://b/ on /old\n';
    const list = (input: ReturnType<typeof given>, answer: string) => jindo.bind(input).mounts?.list.parse([[answer]]);
    expect(list(given(), text)).toEqual([{ path: '/old', source: 'oss://b/' }]);
    expect(list(given(), 'oss://b/ on /data\n')).toEqual([{ path: '/data', source: 'oss://b/' }]);
    expect(list(given(), `${text}cacheStrategy: DHT\n`)).toHaveLength(1);
    expect(list(given(), text + setsOf(given()).replace('cacheStrategy', ''))).toHaveLength(1);
    expect(list(given(), text + setsOf(given()))).toHaveLength(2);
    expect(list(fsx(), text)).toHaveLength(2);
  });
  test('changes with what a set says, and a mount named after a field of sets is none of them', () => {
    const edited = given({ mounts: [{ ...bucket, options: { ...bucket.options, metaPolicy: 'ALWAYS' } }] });
    expect(jindo.bind(edited).mounts?.list.parse([[`oss://bucket/data/ on /data\n${setsOf(given())}`]])).toEqual([]);
    const named = given({ mounts: [{ ...bucket, name: 'cacheStrategy' }] });
    const record = setsOf(named).split('\n')[1] ?? '';
    expect(jindo.bind(named).mounts?.list.parse([[`oss://bucket/data on /cacheStrategy\n${record}\n`]])).toEqual([]);
  });
});

describe('cleaning', () => {
  const commands = (input: ReturnType<typeof given>) => jindo.bind(input).cleanup?.commands(undefined) ?? [];
  const level = { mediumtype: 'SSD' as const, path: '/mnt/a', quota: '1Gi' };
  test('empties the directories of nodes, as often and as long as the spec says', () => {
    const input = given({ spec: { tieredstore: { levels: [level] }, cleanCachePolicy: { gracePeriodSeconds: 7, maxRetryAttempts: 2 } } });
    expect(commands(input)).toMatchObject([
      { in: 'master', argv: ['jindocache', '-formatCache'], timeoutSeconds: 7, mayFail: true },
      {
        in: 'worker',
        on: 'every',
        argv: ['bash', '-c', expect.any(String), 'bash', '/mnt/a/ml/demo/jindocache/server', '/mnt/a/ml/demo/jindocache'],
        timeoutSeconds: 7,
      },
      { in: 'master', on: 'every', argv: ['bash', '-c', expect.any(String), 'bash', '', '/mnt/a/ml/demo/jindocache'], timeoutSeconds: 7 },
    ]);
    expect(jindo.bind(input).plan.cleaning).toEqual({ attempts: 2, graceSeconds: 7 });
    expect(commands(fsx({ spec: { tieredstore: { levels: [level] } } }))[0]?.argv).toEqual(['jindo', 'fs', '-formatCache', '-force']);
  });
  test('is not needed where the cache ends with its pods, and nothing is asked of masters that do not exist', () => {
    expect(commands(given({ spec: { tieredstore: { levels: [{ ...level, volumeType: 'emptyDir' }] } } }))).toEqual([]);
    expect(commands(given({ spec: { master: { disabled: true }, worker: { disabled: true } } }))).toEqual([]);
  });
});
