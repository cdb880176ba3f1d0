/** JuiceFS' own output (scripts/record-juicefs.sh): its options are those that are rendered, its texts are those that are read. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cacheUse, removeCache, size, status } from '../../../runtimes/juicefs/commands.ts';
import { TABLE } from '../../../runtimes/juicefs/options.ts';
import { community, planOf } from './given.ts';

const folder = join(import.meta.dirname, '../../../src/playground/engines/juicefs-recorded');
const versions = readdirSync(folder).toSorted();
const recorded = (version: string, name: string) => readFileSync(join(folder, version, name), 'utf8');

/** `   --file value, -f value     file containing…` */
const optionsOf = (version: string, command: string): readonly string[] =>
  [...recorded(version, `help-${command}`).matchAll(/^ +(?:-\w, )?--([\w-]+)/gm)].map(([, name = '']) => name);
/** The same with other names of them: `-f`, `--deleteSrc`. */
const namesOf = (command: string) =>
  new Set(
    versions
      .flatMap((version) => recorded(version, `help-${command}`).match(/^ {3}-.*?(?= {2})/gm) ?? [])
      .flatMap((line) => [...line.replace(/\[.*\]/, '').matchAll(/(?:^ +|, )--?([\w-]+)/g)].map(([, name = '']) => name)),
  );
/** Options of any recorded version. */
const known = (command: string) => new Set(versions.flatMap((version) => optionsOf(version, command)));

test('the table of options is that of the commands', () => {
  const [format, mount] = [known('format'), known('mount')];
  expect([...TABLE.both].toSorted()).toEqual([...format].filter((name) => mount.has(name)).toSorted());
  expect([...TABLE.format].toSorted()).toEqual([...format].filter((name) => !mount.has(name)).toSorted());
  expect([...TABLE.mount].toSorted()).toEqual([...mount].filter((name) => !format.has(name)).toSorted());
});

test.each(['warmup', 'sync'] as const)('the options of juicefs %s are those of its help, with their other names', (command) =>
  expect([...TABLE[command]].toSorted()).toEqual([...namesOf(command)].filter((name) => name !== 'help' && name !== 'h').toSorted()),
);

describe.each(versions)('version %s', (version) => {
  test.each([
    ['format', ['storage', 'bucket', 'access-key', 'secret-key', 'no-update']],
    ['mount', ['metrics', 'subdir', 'cache-dir', 'cache-size', 'free-space-ratio', 'attr-cache', 'entry-cache']],
    ['quota', ['path', 'capacity', 'create']],
    ['summary', ['depth', 'csv']],
    [
      'sync',
      'worker manager-addr metrics exclude include match-full-path end-time delete-dst existing dry dirs limit files-from'.split(' '),
    ],
    ['warmup', ['file', 'threads']],
  ])('has every option of juicefs %s that is rendered', (command, rendered) => {
    expect(optionsOf(version, command)).toEqual(expect.arrayContaining(rendered));
  });

  test('says how much is cached and how large a directory is', () => {
    const plan = planOf(community({ settings: { mountRoot: '/m' }, mount: { mountPoint: 'juicefs:///team' } }));
    const stats = recorded(version, 'stats')
      .split('\n')
      .filter((line) => /blockcache|juicefs_used_|process_start/.test(line))
      .join('\n');
    const use = cacheUse.parse([[stats]], plan);
    expect(size.parse([[recorded(version, 'summary')]], plan)).toEqual({ totalBytes: 15_007_744, files: 3 });
    expect(use).toMatchObject({ hitRatio: 6 / 9, throughputRatio: 10 / 15 });
    const [, client] = /process_start_time_seconds (.*)/.exec(stats) ?? [];
    expect(status(plan, { readyWorkers: 1, cache: use }).read).toEqual([{ client, cacheBytes: 10_000_000, storeBytes: 5_000_000 }]);
    expect(use.cachedBytes).toBeGreaterThan(15_000_000);
    // The client of 1.3.0 had just started.
    expect(use.dataMark).toBe(version === '1.4.2' ? '15007744/4' : undefined);
    const table = recorded(version, 'df').replace('/work/team', plan.mountPath);
    expect(cacheUse.parse([[stats], [table]], plan).totalBytes).toBe(15_007_744);
  });

  test('names its volume and its clients', () => {
    const answer = recorded(version, 'status');
    const [, uuid] = /"UUID": "(.*)"/.exec(answer) ?? [];
    const parse = (text: string) => removeCache.ask?.parse([[text]], planOf(community()));
    // The caches of two clients, whose mount points are another Dataset's.
    expect(parse(answer)).toBe('');
    expect(parse(answer.replaceAll('/work/', '/runtime-mnt/juicefs/ml/demo/'))).toBe(uuid);
    expect(() => parse(recorded(version, 'status-unformatted'))).toThrow('juicefs status names no UUID');
  });
});
