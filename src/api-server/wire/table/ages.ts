/** Ages as Kubernetes prints them: `k8s.io/apimachinery/pkg/util/duration`, `HumanDuration`. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** So long a duration is printed in units of `large`, with the rest in units of `small` where there is one. */
interface Precision {
  /** Seconds; longer ones have another precision. */
  readonly below: number;
  readonly large: readonly [seconds: number, suffix: string];
  readonly small?: readonly [seconds: number, suffix: string];
}
const PRECISIONS: readonly Precision[] = [
  { below: 2 * MINUTE, large: [1, 's'] },
  { below: 10 * MINUTE, large: [MINUTE, 'm'], small: [1, 's'] },
  { below: 3 * HOUR, large: [MINUTE, 'm'] },
  { below: 8 * HOUR, large: [HOUR, 'h'], small: [MINUTE, 'm'] },
  { below: 2 * DAY, large: [HOUR, 'h'] },
  { below: 8 * DAY, large: [DAY, 'd'], small: [HOUR, 'h'] },
  { below: 2 * YEAR, large: [DAY, 'd'] },
  { below: 8 * YEAR, large: [YEAR, 'y'], small: [DAY, 'd'] },
  { below: Infinity, large: [YEAR, 'y'] },
];

/**
 * A duration in milliseconds with two or three digits. One second into the future is now; more is `<invalid>`.
 * @example
 * humanDuration(150_000); // → '2m30s'
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  const { large, small } = PRECISIONS.find(({ below }) => seconds < below) ?? PRECISIONS.at(-1)!;
  const rest = small ? Math.trunc((seconds % large[0]) / small[0]) : 0;
  return `${Math.trunc(seconds / large[0])}${large[1]}${small && rest > 0 ? `${rest}${small[1]}` : ''}`;
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** A time in RFC 3339 as milliseconds since the epoch; undefined for what is none. */
export function timeOf(text: unknown): number | undefined {
  if (typeof text !== 'string' || text.length > 40 || !RFC_3339.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** How long ago a time was; `<unknown>` without one. */
export function ageOf(time: unknown, now: number): string {
  const then = timeOf(time);
  return then === undefined ? '<unknown>' : humanDuration(now - then);
}
