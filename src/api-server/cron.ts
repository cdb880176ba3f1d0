/** Schedules of CronJobs, in the words of their parser; rule: `ParseStandard` of github.com/robfig/cron v3. */

/** When a schedule is due. */
export type Schedule =
  | { readonly everyMs: number }
  | {
      /** By field: minute, hour, day of the month, month, day of the week. */
      readonly fields: readonly ReadonlySet<number>[];
      /** Whether a day must fit both of its fields, since one of them says `*`; else one of the two. */
      readonly bothDays: boolean;
    };

interface Field {
  readonly min: number;
  readonly max: number;
  /** The first one is `min`. */
  readonly names?: readonly string[];
}
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAYS = 'sun mon tue wed thu fri sat'.split(' ');
const FIELDS: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const EVERY = '@every ';
const UNIT_MS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * Parses a schedule. A time zone in it is passed over: the API server refuses new ones.
 * @throws Error with the parser's words
 * @example
 * parseSchedule('0 3 * * mon-fri');
 */
export function parseSchedule(text: string): Schedule {
  const spec = text.replace(/^(?:CRON_)?TZ=\S* ?/, '').trim();
  if (spec.startsWith(EVERY)) return { everyMs: Math.max(1_000, durationMs(spec)) };
  if (spec.startsWith('@') && !Object.hasOwn(DESCRIPTORS, spec)) throw new Error(`unrecognized descriptor: ${spec}`);
  const parts = (DESCRIPTORS[spec] ?? spec).split(/\s+/).filter((part) => part !== '');
  if (parts.length !== FIELDS.length)
    throw new Error(`expected exactly ${FIELDS.length} fields, found ${parts.length}: [${parts.join(' ')}]`);
  return {
    fields: FIELDS.map((field, i) => new Set(rangesOf(parts[i]!).flatMap((range) => numbersOf(range, field)))),
    bothDays: [parts[2]!, parts[4]!].some((part) => rangesOf(part).some((range) => /^[*?][^/]*(?:\/0*1)?$/.test(range))),
  };
}

const rangesOf = (part: string): readonly string[] => part.split(',').filter((range) => range !== '');

/** `<from>[-<to>][/<step>]`. */
function numbersOf(range: string, { min, max, names = [] }: Field): readonly number[] {
  const [ends = '', step, ...slashes] = range.split('/');
  const [low = '', high, ...hyphens] = ends.split('-');
  const numberOf = (text: string) => (names.includes(text.toLowerCase()) ? names.indexOf(text.toLowerCase()) + min : integer(text));
  const isAny = low === '*' || low === '?';
  const from = isAny ? min : numberOf(low);
  if (!isAny && hyphens.length > 0) throw new Error(`too many hyphens: ${range}`);
  const given = isAny ? max : high === undefined ? from : numberOf(high);
  if (slashes.length > 0) throw new Error(`too many slashes: ${range}`);
  const by = step === undefined ? 1 : integer(step);
  const to = step !== undefined && high === undefined ? max : given;
  if (from < min) throw new Error(`beginning of range (${from}) below minimum (${min}): ${range}`);
  if (to > max) throw new Error(`end of range (${to}) above maximum (${max}): ${range}`);
  if (from > to) throw new Error(`beginning of range (${from}) beyond end of range (${to}): ${range}`);
  if (by === 0) throw new Error(`step of range should be a positive number: ${range}`);
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, i) => from + i * by);
}

function integer(text: string): number {
  const quoted = `strconv.Atoi: parsing ${JSON.stringify(text)}`;
  if (!/^[-+]?\d+$/.test(text)) throw new Error(`failed to parse int from ${text}: ${quoted}: invalid syntax`);
  if (!Number.isSafeInteger(Number(text))) throw new Error(`failed to parse int from ${text}: ${quoted}: value out of range`);
  if (Number(text) < 0) throw new Error(`negative number (${Number(text)}) not allowed: ${text}`);
  return Number(text);
}

function durationMs(spec: string): number {
  const text = spec.slice(EVERY.length);
  if (!/^\+?(?:\d{1,18}(?:\.\d{0,18})?(?:ns|us|µs|ms|s|m|h))+$/.test(text))
    throw new Error(`failed to parse duration ${spec}: time: invalid duration ${JSON.stringify(text)}`);
  const parts = [...text.matchAll(/([\d.]{1,37})([a-zµ]{1,2})/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * UNIT_MS[unit]!, 0);
}

/**
 * Whether a schedule is due at the minute of a time.
 * @param at ms since the epoch
 * @param since ms since the epoch: when it ran last, or was created
 * @param timeZone by default that of this process
 */
export function isDue(schedule: Schedule, at: number, since: number, timeZone?: string): boolean {
  if ('everyMs' in schedule) return at - since >= schedule.everyMs;
  const minute = Math.floor(at / 60_000) * 60_000;
  if (minute <= since) return false;
  const now = calendarOf(minute, timeZone);
  const [inMinute, inHour, onDay, inMonth, onWeekday] = schedule.fields.map((field, i) => field.has(now[i]!));
  return !!inMinute && !!inHour && !!inMonth && (schedule.bothDays ? !!onDay && !!onWeekday : !!onDay || !!onWeekday);
}

/** In the order of the fields. */
function calendarOf(at: number, timeZone: string | undefined): readonly number[] {
  const parts = formatOf(timeZone).formatToParts(at);
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)!.value;
  return [Number(of('minute')), Number(of('hour')), Number(of('day')), Number(of('month')), DAYS.indexOf(of('weekday').toLowerCase())];
}
const formats = new Map<string | undefined, Intl.DateTimeFormat>();
function formatOf(timeZone: string | undefined): Intl.DateTimeFormat {
  const found =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en', {
      ...(timeZone !== undefined && { timeZone }),
      minute: 'numeric',
      hour: 'numeric',
      hourCycle: 'h23',
      day: 'numeric',
      month: 'numeric',
      weekday: 'short',
    });
  formats.set(timeZone, found);
  return found;
}
