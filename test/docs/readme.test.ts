/** README's first sentences have the figures of what the demo printed, which stands further below; and what it says of builds is their seconds. */
import { expect, test } from 'vitest';
import { wantedTools } from '../../harness/tools/tools.ts';
import { secondsHere } from '../../harness/tools/jobs.ts';
import { read } from './pages.ts';

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
