import { expect, test } from 'vitest';
import { bytesText } from '../../src/api/index.ts';
import { bytesOf, countOf, progressOf, ratioOf, secondsOf } from '../../src/planning/figures.ts';

test('bytes of a status are read back as far as its text is exact', () => {
  expect(['0.00B', '1.50KiB', '2.5GiB', '10 GiB', '1.5GB', '1Mi', '12'].map(bytesOf)).toEqual([
    0,
    1536,
    2.5 * 2 ** 30,
    10 * 2 ** 30,
    1.5e9,
    2 ** 20,
    12,
  ]);
  for (const bytes of [1, 1000, 123_456_789, 2 ** 41, 7 * 2 ** 50]) {
    const read = bytesOf(bytesText(bytes)) ?? Number.NaN;
    expect(Math.abs(read - bytes) / bytes).toBeLessThanOrEqual(0.005);
  }
});

test('what is no figure has none', () => {
  expect(
    [undefined, '', 'N/A', '[Calculating]', '1.2.3GiB', '-1GiB', '5iB', '1e3', '99999999999999999GiB', '1GiB\n2'].map(bytesOf),
  ).toEqual(Array(10).fill(undefined));
  expect([undefined, '', '100.1%', '-1%', '50', '1e1%'].map(ratioOf)).toEqual(Array(6).fill(undefined));
  expect([undefined, '', '0x10', '1.5', ' ', '9'.repeat(16)].map(countOf)).toEqual(Array(6).fill(undefined));
  expect(['step 0 of 3', '4 of 3', '1 of 0', 'step', '1 of 3\nx'].map(progressOf)).toEqual(Array(5).fill(undefined));
  expect([undefined, 'long ago'].map(secondsOf)).toEqual([undefined, undefined]);
});

test('shares and progress are from 0 to 1', () => {
  expect(['0.0%', '90.1%', '100.0%'].map(ratioOf)).toEqual([0, 0.901, 1]);
  expect(['45%', '3 of 12 files', '0 of 3 clients', 'step 2 of 4', '3 of 3 steps'].map(progressOf)).toEqual([0.45, 0.25, 0, 0.25, 1]);
});
