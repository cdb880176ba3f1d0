/** README's first sentences have the figures of what the demo printed, which stands further below. */
import { expect, test } from 'vitest';
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
