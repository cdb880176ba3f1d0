/** README's figures: of its first sentences, of builds, of runtimes. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wantedTools } from '../../harness/tools/tools.ts';
import { secondsHere } from '../../harness/tools/jobs.ts';
import { read, root } from './pages.ts';

test('README begins with the figures of the demo on a real node', () => {
  const page = read('README.md');
  const [first, second] = ['first', 'second'].map((read) =>
    new RegExp(`${read} read, (\\S+) s: (\\S+) bytes from the bucket, (\\S+) from the cache`).exec(page)?.slice(1),
  );
  const [seconds, bytes = ''] = first ?? [];
  const megabytes = Math.round(Number(bytes.replaceAll(',', '')) / 1e6);
  expect([first?.[2], second?.[1], second?.[2]]).toEqual(['0', '0', bytes]);
  expect(page).toContain(
    `a pod reads a file of ${megabytes} MB from a bucket through JuiceFS in ${seconds} s, and the second time in ${second?.[0]} s, without a byte from the bucket.`,
  );
});

test('README says how long the builds take that were measured, with a minute for what is fetched', () => {
  const minutes = (['control plane', 'node'] as const).map((wanted) => secondsHere(wantedTools(wanted), 2) / 60);
  const [first, second] = [Math.round(minutes[0] ?? 0), Math.round((minutes[1] ?? 0) + 1)];
  expect(read('README.md')).toContain(`on two cores the first part begins after about ${first} minutes, the second after about ${second}.`);
});

test('README says how long the folder of a runtime is', () => {
  const lines = (folder: string) =>
    globSync(`${folder}/*.ts`).reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length, 0);
  const hundreds = globSync(join(root, 'runtimes/*/')).map((folder) => Math.round(lines(folder) / 100) * 100);
  const [least, most] = [Math.min(...hundreds), Math.max(...hundreds)].map((count) => count.toLocaleString('en'));
  expect(read('README.md')).toContain(`one folder of ${least} to ${most} lines`);
});
