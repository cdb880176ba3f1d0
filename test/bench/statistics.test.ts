import { expect, test } from 'vitest';
import { medianInterval } from '../../bench/statistics.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

// The ranks that tables of the sign test give.
test.for([
  [5, 1, 3, 5],
  [6, 1, 3.5, 6],
  [20, 6, 10.5, 15],
  [25, 8, 13, 18],
  [100, 40, 50.5, 61],
])('of %d values, the median lies between the %dth and its counterpart', ([count = 0, low, median, high]) => {
  expect(medianInterval(numbers(count).toReversed())).toEqual({ low, median, high });
});
