import { describe, expect, test } from 'vitest';
import { ageOf, humanDuration, timeOf } from '../../../src/api-server/wire/table/ages.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

describe('a duration is printed as Kubernetes prints it', () => {
  // apimachinery/pkg/util/duration/duration_test.go has these limits.
  test.each([
    [-2 * SECOND, '<invalid>'],
    [-1 * SECOND, '0s'],
    [0, '0s'],
    [999, '0s'],
    [70 * SECOND, '70s'],
    [119.9 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [190 * SECOND, '3m10s'],
    [10 * MINUTE - 1, '9m59s'],
    [70 * MINUTE, '70m'],
    [3 * HOUR - 1, '179m'],
    [3 * HOUR, '3h'],
    [3 * HOUR + 10 * MINUTE, '3h10m'],
    [8 * HOUR - 1, '7h59m'],
    [47 * HOUR, '47h'],
    [2 * DAY, '2d'],
    [2 * DAY + 3 * HOUR, '2d3h'],
    [8 * DAY - 1, '7d23h'],
    [8 * DAY, '8d'],
    [2 * YEAR - 1, '729d'],
    [2 * YEAR, '2y'],
    [2 * YEAR + DAY, '2y1d'],
    [8 * YEAR - 1, '7y364d'],
    [8 * YEAR, '8y'],
    [25.9 * YEAR, '25y'],
  ])('%d ms: %s', (milliseconds, text) => expect(humanDuration(milliseconds)).toBe(text));
});

test('a time in RFC 3339 has an age, whatever its zone; nothing else has one', () => {
  const now = Date.parse('2026-01-01T00:01:00Z');
  for (const text of ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000000Z', '2026-01-01T01:00:00+01:00'])
    expect(ageOf(text, now)).toBe('60s');
  for (const none of ['', 'yesterday', '2026-01-01', '2026-13-01T00:00:00Z', 'Jan 1, 2026', 7, null, undefined]) {
    expect(timeOf(none)).toBeUndefined();
    expect(ageOf(none, now)).toBe('<unknown>');
  }
});
