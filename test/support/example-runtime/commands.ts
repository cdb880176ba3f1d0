import type { CacheUse, Cleanup, Command, MountTable, Probe, UfsUsage } from '../../../src/constructs/index.ts';
import type { ExamplePlan } from './plan.ts';

const master = (...argv: readonly string[]): Command => ({ in: 'master', on: 'first', argv: ['example', ...argv] });
const firstLine = (answers: readonly (readonly string[])[]): string => answers[0]?.[0]?.split('\n')[0] ?? '';

/** `example mounts` prints a path a line, its source and its options as JSON. */
export const mounts: MountTable<ExamplePlan, Row> = {
  list: {
    commands: () => [master('mounts')],
    parse: ([pods]) =>
      (pods?.[0] ?? '')
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const [path = '', source = '', options = '{}'] = line.split(' ');
          return { path, source, options: JSON.parse(options) as Row['options'] };
        }),
  },
  wanted: (plan) => plan.mounts,
  change: (_, { unmount, mount }) => [
    ...unmount.map((path) => master('unmount', path)),
    ...mount.map(({ path, source, options }) =>
      master('mount', ...Object.entries(options).map(([key, value]) => `--option=${key}=${value}`), path, source),
    ),
  ],
};
type Row = ExamplePlan['mounts'][number];

/** `example report` prints `cached 1024 hits 9 misses 1`. */
export const cache: Probe<ExamplePlan, CacheUse> = {
  commands: () => [master('report')],
  parse: (answers) => {
    const [, cached = '0', hits = '0', misses = '0'] = /^cached (\d+) hits (\d+) misses (\d+)$/.exec(firstLine(answers)) ?? [];
    const reads = Number(hits) + Number(misses);
    return { cachedBytes: Number(cached), ...(reads > 0 && { hitRatio: Number(hits) / reads }) };
  },
};

/** `example count` prints bytes and files. */
export const ufs: Probe<ExamplePlan, UfsUsage> = {
  commands: () => [master('count')],
  parse: (answers) => {
    const [, totalBytes, files] = /^(\d+) (\d+)$/.exec(firstLine(answers)) ?? [];
    if (totalBytes === undefined) throw new Error(`example count said: ${firstLine(answers)}`);
    return { totalBytes: Number(totalBytes), files: Number(files) };
  },
};

/** Each installation caches in a directory of its own, whose name only the master knows. */
export const cleanup: Cleanup<ExamplePlan, string> = {
  ask: { commands: () => [master('id')], parse: firstLine },
  commands: ({ cacheDir }, id) => (id && /^\w+$/.test(id) ? [{ in: 'worker', on: 'every', argv: ['rm', '-rf', `${cacheDir}/${id}`] }] : []),
};
