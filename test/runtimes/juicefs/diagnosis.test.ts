/** The diagnosis of JuiceFS: counters as versions print them (scripts/record-juicefs.sh), and settings of specs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import juicefs from '../../../runtimes/juicefs/index.ts';
import { optionCosts } from '../../../runtimes/juicefs/option-costs.ts';
import { TABLE } from '../../../runtimes/juicefs/options.ts';
import type { JuiceFSRuntimeSpec } from '../../../runtimes/juicefs/spec.ts';
import type { DatasetSpec } from '../../../src/api/index.ts';

const folder = join(import.meta.dirname, '../../../src/playground/engines/juicefs-recorded');
const diagnosis = juicefs.diagnosis()!;
const { command, parse } = diagnosis.counters!;
const fuse = { role: 'fuse', ports: {} } as const;
const community: DatasetSpec = {
  mounts: [
    {
      mountPoint: 'juicefs:///',
      name: 'files',
      encryptOptions: [{ name: 'metaurl', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
    },
  ],
};
const enterprise: DatasetSpec = { mounts: [{ mountPoint: 'juicefs:///', name: 'files' }] };
const cacheOf = (spec: JuiceFSRuntimeSpec, dataset = community) => diagnosis.cache({ spec, dataset });

describe.each(readdirSync(folder))('version %s', (version) => {
  const stats = readFileSync(join(folder, version, 'stats'), 'utf8');
  test('a client counts what it read, from where, and how long it took', () => {
    const read = parse(stats, fuse);
    expect(read).toMatchObject({
      process: expect.stringMatching(/^17\d{8}/) as string,
      bytes: { local: 10_000_000, store: 5_000_000 },
      evictions: 0,
      drops: 0,
      cache: { usedBytes: expect.any(Number) as number },
      store: { count: 6, bytes: 15_000_000, errors: 0 },
      cacheReads: { count: 6, bytes: 10_000_000 },
      reads: { bytes: 15_000_000 },
    });
    const [, seconds] = /^juicefs_object_request_durations_histogram_seconds_GET_sum (.*)$/m.exec(stats) ?? [];
    expect(read.store?.seconds).toBe(Number(seconds));
    const counted = [...stats.matchAll(/^juicefs_fuse_ops_total_(\w+) (\d+)$/gm)].filter(([, name]) => name !== 'read' && name !== 'write');
    expect(read.metadata?.count).toBe(counted.reduce((sum, [, , count]) => sum + Number(count), 0));
    expect(read.metadata?.count).toBeGreaterThan(0);
  });
  test('the command prints each line that is read', () => {
    const words = (command(fuse)?.argv[2] ?? '').match(/-e \w+/g)?.map((word) => word.slice(3)) ?? [];
    const printed = stats.split('\n').filter((line) => words.some((word) => line.includes(word)));
    expect(parse(printed.join('\n'), fuse)).toEqual(parse(stats, fuse));
    expect(printed.length).toBeLessThan(stats.split('\n').length);
  });
});

test('a client on a real node, whose cache was smaller than what was read (test/engines/slow.test.ts)', () => {
  expect(parse(readFileSync(join(import.meta.dirname, 'counters/fuse.txt'), 'utf8'), fuse)).toMatchObject({
    bytes: { local: 465_567_744, store: 2_062_548_992 },
    evictions: 489,
    cache: { usedBytes: 46_182_400 },
    store: { count: 500, bytes: 2_062_548_992, errors: 0 },
    reads: { count: 19_347, bytes: 2_528_116_736 },
  });
});

test('enterprise clients have what is theirs, workers what they give others', () => {
  const stats = 'blockcache.bytes: 4096\nblockcache.hitBytes: 30\nblockcache.missBytes: 12\nfuse.ops: 1\n';
  expect(parse(stats, { role: 'worker', ports: {} })).toEqual({ bytes: { remote: 30, store: 12 }, cache: { usedBytes: 4096 } });
  expect(parse(stats, fuse)).toEqual({ bytes: { local: 30 }, cache: { usedBytes: 4096 } });
});

test.each(['', 'juicefs_blockcache_bytes many', 'juicefs_blockcache_bytes 1e9999x', '{"blockcache":1}'])(
  '%j has no counters, and says so',
  (answer) => {
    expect(() => parse(answer, fuse)).toThrow('.stats has no blockcache figures');
  },
);

test('the client’s cache answers readers of the community edition, that of workers those of the other', () => {
  const level = { mediumtype: 'SSD' as const, path: '/cache', quota: '2Gi' };
  expect(cacheOf({})).toEqual({ in: 'fuse', bytes: 100 * 2 ** 30, field: 'spec.tieredstore.levels[0].quota' });
  expect(cacheOf({ tieredstore: { levels: [level] } })).toMatchObject({ in: 'fuse', bytes: 2 * 2 ** 30 });
  expect(cacheOf({ tieredstore: { levels: [level] } }, enterprise)).toMatchObject({ in: 'worker', bytes: 2 * 2 ** 30 });
  const field = 'spec.fuse.options.cache-size';
  const sized = (size: string) => cacheOf({ fuse: { options: { 'cache-size': size } }, tieredstore: { levels: [level] } });
  expect(sized('64')).toMatchObject({ in: 'fuse', bytes: 2 ** 26, field });
  expect(sized('1.5G')).toMatchObject({ bytes: 1.5 * 2 ** 30 });
  expect(sized('much').bytes).toBeUndefined();
  expect(sized('64').valueFor?.(2 ** 31)).toBe('2048');
});

test('of an option that several fields have, the last one counts, and is named', () => {
  const dataset = {
    sharedOptions: { 'attr-cache': '0', prefetch: '3' },
    mounts: [{ mountPoint: 'juicefs:///', options: { 'cache-size': '0' } }],
  };
  expect(diagnosis.chosen?.({ spec: { fuse: { options: { 'attr-cache': '60' } } }, dataset })).toEqual([
    { field: 'spec.fuse.options.attr-cache', name: 'attr-cache', value: '60' },
    { field: 'Dataset spec.sharedOptions.prefetch', name: 'prefetch', value: '3' },
    { field: 'Dataset spec.mounts[0].options.cache-size', name: 'cache-size', value: '0' },
  ]);
});

test('options that cost are such that a client knows, and the values of the table cost', () => {
  const known = new Set<string>([...TABLE.mount, ...TABLE.global, 'attrcacheto', 'entrycacheto']);
  expect(optionCosts.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  const costly = (name: string, value: string) => optionCosts.find((each) => each.name === name)?.isCostly(value);
  expect([costly('cache-size', '0'), costly('cache-size', '100'), costly('attr-cache', '0.0s'), costly('attr-cache', '1')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([costly('buffer-size', '32'), costly('buffer-size', '300M'), costly('buffer-size', '1G')]).toEqual([true, false, false]);
  expect([costly('cache-partial-only', ''), costly('cache-partial-only', 'false'), costly('download-limit', '100')]).toEqual([
    true,
    false,
    true,
  ]);
});
