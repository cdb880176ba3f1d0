/** Figures as they are shown: the same in both languages, as kubectl writes them. */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const;

/** `1.5 TiB`: three digits are enough to compare, and fit into a column. */
export function bytes(count: number): string {
  const power = count < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(count) / 10));
  const value = count / 1024 ** power;
  const rounded = value >= 100 || power === 0 ? Math.round(value) : Math.round(value * 10) / 10;
  // 1023.9 GiB would else be 1024 GiB.
  return rounded >= 1024 && power < UNITS.length - 1 ? `1 ${UNITS[power + 1]}` : `${rounded} ${UNITS[power]}`;
}

/** A ratio of 0 to 1 as `97%`. Only all is 100%, and only nothing 0%. */
export function percent(ratio: number): string {
  if (ratio > 0 && ratio < 0.01) return '<1%';
  if (ratio > 0.99 && ratio < 1) return '>99%';
  return `${Math.round(ratio * 100)}%`;
}

/** Cached of capacity, 0 to 1; undefined while either is unknown or there is no capacity. */
export function ratioOf(cached: number | undefined, capacity: number | undefined): number | undefined {
  if (cached === undefined || capacity === undefined || capacity <= 0) return undefined;
  return Math.min(1, Math.max(0, cached / capacity));
}

const STEPS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** `5m`, `3h`, `12d`, and `4m10s` or `3h20m` while the second figure matters: below 10 of the first. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const at = STEPS.findIndex(([, size]) => whole >= size);
  const [unit, size] = STEPS[at] ?? ['s', 1];
  const count = Math.floor(whole / size);
  const [nextUnit, nextSize] = STEPS[at + 1] ?? ['s', 0];
  const rest = nextSize > 0 && at >= 0 ? Math.floor((whole - count * size) / nextSize) : 0;
  return count < 10 && rest > 0 ? `${count}${unit}${rest}${nextUnit}` : `${count}${unit}`;
}

/** How long ago a time in ms was; a clock that is behind the cluster's sees no negative ages. */
export const age = (at: number, now: number): string => duration((now - at) / 1000);

/** `12,345` */
export const count = (value: number): string => value.toLocaleString('en-US');
