import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesLabel, bytesText, canonicalQuantity, durationText, percentText, quantity, textBytes } from '../../src/api/units.ts';

const GiB = 1024 ** 3;

describe('a quantity', () => {
  // The output of k8s.io/apimachinery v0.34.
  test.each([
    ['1.5Gi', '1536Mi'],
    ['0.5', '500m'],
    ['1000m', '1'],
    ['1e3', '1e3'],
    ['1.5e3', '1500'],
    ['1e4', '10e3'],
    ['100e1', '1e3'],
    ['1e-1', '100e-3'],
    ['1.5e-4', '150e-6'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1025Ki', '1025Ki'],
    ['1048576Ki', '1Gi'],
    ['0.5Ki', '512'],
    ['1.5Ki', '1536'],
    ['0.3Ki', '307200m'],
    ['1.3Ki', '1331200m'],
    ['1.1Gi', '1181116006400m'],
    ['2105656.25Ki', '2156192k'],
    ['100Pi', '100Pi'],
    ['10Ei', '9223372036854775807'],
    ['9223372036854775808', '9223372036854775808'],
    ['9007199254740993', '9007199254740993'],
    ['1e20', '100e18'],
    ['1000P', '1E'],
    ['1.5E', '1500P'],
    ['1.5E2', '150'],
    ['.5', '500m'],
    ['-1.5Gi', '-1536Mi'],
    ['-0.5', '-500m'],
    ['0', '0'],
    ['0.0', '0'],
    ['0Gi', '0'],
    ['-0', '0'],
    ['0.1m', '100u'],
    ['0.1n', '1n'],
    ['-0.5n', '-1n'],
    ['3.14159265358979', '3141592654n'],
  ])('%s is %s', (text, canonical) => expect(canonicalQuantity(text, 'p')).toBe(canonical));

  const text = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.integer({ min: 0, max: 9_000 }),
      fc.constantFrom('', '.', '.5', '.25', '.001', '.123456'),
      fc.constantFrom('', 'Ki', 'Mi', 'Gi', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'e3', 'e-3', 'E1', 'e-7'),
    )
    .map((parts) => parts.join(''));
  test('in canonical form is canonical', () =>
    fc.assert(
      fc.property(text, (value) => {
        const canonical = canonicalQuantity(value, 'p');
        expect(canonicalQuantity(canonical, 'p')).toBe(canonical);
      }),
      { numRuns: 1000 },
    ));
  test('in canonical form is the same amount, but for a billionth', () =>
    fc.assert(
      fc.property(text, (value) => {
        const amount = quantity(value, 'p');
        expect(Math.abs(quantity(canonicalQuantity(value, 'p'), 'p') - amount)).toBeLessThanOrEqual(1e-9 + Math.abs(amount) * 1e-12);
      }),
      { numRuns: 1000 },
    ));
  test('may be a number', () => {
    expect(canonicalQuantity(2000, 'p')).toBe('2k');
    expect(quantity(0.5, 'p')).toBe(0.5);
  });
  test.each([
    ['10Gi', 10 * GiB],
    ['1k', 1000],
    ['500m', 0.5],
    ['1e3', 1000],
    ['-1Ki', -1024],
  ])('%s is %d of one', (value, amount) => expect(quantity(value, 'p')).toBe(amount));
  test.each(['', 'much', '1 Gi', '1GB', 'Gi', '1_0', '0x10', '1e3Ki', '1e1000000', '--1', 'NaN'])(
    '%j is none, and the field is named',
    (value) => expect(() => canonicalQuantity(value, 'spec.quota')).toThrow('spec.quota: expected a quantity such as 10Gi'),
  );
});

describe('bytes', () => {
  // Goldens: juicefs/ee-token, ce-full, ce-replicas0; the last as Fluid's loop divides.
  test.each([
    [0, '0.00B'],
    [1023, '1023.00B'],
    [1024, '1.00KiB'],
    [2_464_154, '2.35MiB'],
    [4_100_096, '3.91MiB'],
    [40 * GiB, '40.00GiB'],
    [2048 * 1024 * GiB, '2048.00TiB'],
    [1024 ** 4 - 1, '1024.00GiB'],
  ])('%d is %s in a status', (bytes, text) => expect(bytesText(bytes)).toBe(text));
  test.each([
    [0, '0B'],
    [4 * GiB, '4GiB'],
    [20 * GiB, '20GiB'],
    [1.5 * GiB, '1.5GiB'],
    [1234 * 1024, '1.205MiB'],
    [1023 * GiB, '1023GiB'],
    [1024 ** 6, '1EiB'],
  ])('%d is %s in a label', (bytes, text) => expect(bytesLabel(bytes)).toBe(text));
});

test.each([
  [0, '0s'],
  [499, '0s'],
  [1000, '1s'],
  [47_000, '47s'],
  [433_000, '7m13s'],
  [3_602_000, '1h0m2s'],
  [90_000_000, '25h0m0s'],
  [-5000, '0s'],
])('%d ms take %s', (milliseconds, text) => expect(durationText(milliseconds)).toBe(text));

test('a ratio has one decimal, and none where there is nothing to divide by', () => {
  expect(percentText(603, 1000)).toBe('60.3%');
  expect(percentText(1, 1)).toBe('100.0%');
  expect(percentText(1, 0)).toBeUndefined();
});

test('a size in a status is about as many bytes', () => {
  for (const bytes of [0, 512, 1536, 3 * 2 ** 40]) expect(textBytes(bytesText(bytes))).toBe(bytes);
  expect(textBytes(bytesText(154_262_709_011))).toBeCloseTo(154_262_709_011, -8);
  for (const text of ['[Calculating]', '', 'N/A', '1.00XB']) expect(textBytes(text)).toBeUndefined();
});
