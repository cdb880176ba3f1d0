import { InvalidSpec, shown } from './errors.ts';

const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const QUANTITY = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([KMGTPE]i)|([numkMGTPE]?)|([eE])([+-]?\d{1,3}))$/;

/** Arithmetic on so many digits takes no time, and no amount needs more. */
export const LONGEST_QUANTITY = 64;
/** The largest amount that Kubernetes and Fluid can count, 8Ei. */
const LARGEST_AMOUNT = 2 ** 63;

interface Amount {
  readonly sign: string;
  readonly digits: string;
  /** How it is written: as powers of 1024, with a letter, or with an exponent. */
  readonly form: 'binary' | 'letter' | 'exponent';
  /** Power of 1024 or of 10. */
  readonly power: number;
}

function amountOf(value: string | number, path: string): Amount {
  const text = String(value);
  if (text.length > LONGEST_QUANTITY)
    throw new InvalidSpec({ path, expected: `a quantity of at most ${LONGEST_QUANTITY} characters`, found: shown(value) });
  const [, sign = '', digits, binary, letter, e, exponent] = QUANTITY.exec(text) ?? [];
  if (digits === undefined) throw new InvalidSpec({ path, expected: 'a quantity such as 10Gi, 500M or 1.5Ti', found: shown(value) });
  if (binary) return { sign, digits, form: 'binary', power: BINARY.indexOf(binary as (typeof BINARY)[number]) + 1 };
  if (e) return { sign, digits, form: 'exponent', power: Number(exponent) };
  return { sign, digits, form: 'letter', power: DECIMAL[letter ?? ''] ?? 0 };
}

/**
 * A Kubernetes quantity (`10Gi`, `500m`, `1e3`) in units of one: bytes for storage, cores for CPU. `path` names the field in the error.
 * @throws InvalidSpec when the text is no quantity, or more than 8Ei.
 * @example
 * quantity('1.5Gi', 'spec.cacheSize'); // → 1610612736
 * quantity('lots', 'spec.cacheSize'); // throws spec.cacheSize: expected a quantity such as 10Gi, 500M or 1.5Ti, found "lots"
 */
export function quantity(value: string | number, path: string): number {
  const { sign, digits, form, power } = amountOf(value, path);
  const amount = form === 'binary' ? Number(digits) * 1024 ** power : Number(`${digits}e${power}`);
  if (amount > LARGEST_AMOUNT) throw new InvalidSpec({ path, expected: 'a quantity of at most 8Ei', found: shown(value) });
  return sign === '-' ? -amount : amount;
}

const NANO = 10n ** 9n;
/** The largest quantity in powers of 1024: a larger one is cut to it. One in powers of 10 is not. */
const MOST = (2n ** 63n - 1n) * NANO;

/**
 * The same quantity in the spelling of the API server (apimachinery, Quantity.CanonicalizeBytes): with the largest unit that leaves an
 * integer. A manifest in another spelling would differ from what the API server returns.
 * @throws InvalidSpec when the text is no quantity.
 * @example
 * canonicalQuantity('1024Mi', 'spec.cacheSize'); // → '1Gi'
 */
export function canonicalQuantity(value: string | number, path: string): string {
  const { sign, digits, form, power } = amountOf(value, path);
  const [whole = '', fraction = ''] = digits.split('.');
  const unit = form === 'binary' ? 1024n ** BigInt(power) : 10n ** BigInt(Math.max(0, power));
  const below = 10n ** BigInt(fraction.length + (form === 'binary' ? 0 : Math.max(0, -power)));
  // Billionths are kept, and what is left of one counts as one.
  const nanos = (BigInt(whole + fraction) * unit * NANO + below - 1n) / below;
  if (nanos === 0n) return '0';
  return (sign === '-' ? '-' : '') + (form === 'binary' ? binaryText(nanos < MOST ? nanos : MOST) : decimalText(nanos, form));
}

/**
 * So many bytes as a quantity in the API server's spelling, in powers of 1024 where they divide it.
 * @example
 * bytesQuantity(1024 ** 3); // → '1Gi'
 */
export const bytesQuantity = (bytes: number): string => canonicalQuantity(bytes % 1024 === 0 ? `${bytes / 1024}Ki` : bytes, 'quota');

/** A number without a unit of its own is read as a decimal the next time, and so is printed as one. */
function binaryText(nanos: bigint): string {
  const [left, power] = nanos % NANO === 0n ? divided(nanos / NANO, 1024n, BINARY.length) : [0n, 0];
  return power === 0 ? decimalText(nanos, 'letter') : `${left}${BINARY[power - 1]}`;
}

function decimalText(nanos: bigint, form: 'letter' | 'exponent'): string {
  const [left, steps] = divided(nanos, 1000n, form === 'letter' ? Object.keys(DECIMAL).length - 1 : Infinity);
  const power = 3 * steps - 9;
  if (form === 'exponent') return power === 0 ? String(left) : `${left}e${power}`;
  return `${left}${Object.keys(DECIMAL).find((letter) => DECIMAL[letter] === power)}`;
}

/** How often a number can be divided without a rest, and what is left then. */
function divided(number: bigint, by: bigint, most: number): readonly [bigint, number] {
  let left = number;
  let times = 0;
  for (; times < most && left % by === 0n; times++) left /= by;
  return [left, times];
}

const STATUS_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
/**
 * Bytes as Fluid prints them in a status: two decimals and a binary unit up to TiB.
 * @example
 * bytesText(1536); // → '1.50KiB'
 */
export function bytesText(bytes: number): string {
  const [amount, unit] = inUnits(bytes, STATUS_UNITS);
  return `${amount.toFixed(2)}${unit}`;
}

/** About as many bytes as `bytesText` printed. Undefined for any other text. */
export function textBytes(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,16}(?:\.\d{1,2})?)((?:[KMGT]i)?B)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * 1024 ** STATUS_UNITS.indexOf(unit);
}

/** Bytes as Fluid prints them in a node label: at most four significant digits, no trailing zeros, `4GiB`. */
export function bytesLabel(bytes: number): string {
  const [amount, unit] = inUnits(bytes, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB']);
  return `${Number(amount.toPrecision(4))}${unit}`;
}

function inUnits(bytes: number, units: readonly string[]): readonly [number, string] {
  let amount = bytes;
  let power = 0;
  for (; amount >= 1024 && power < units.length - 1; power++) amount /= 1024;
  return [amount, units[power] ?? ''];
}

/**
 * A ratio as Fluid prints it in a status. Undefined when `whole` is 0.
 * @example
 * percentText(9, 10); // → '90.0%'
 */
export const percentText = (part: number, whole: number): string | undefined =>
  whole > 0 ? `${((part / whole) * 100).toFixed(1)}%` : undefined;

/** A duration in milliseconds as Go prints it, in whole seconds: `1s`, `7m13s`, `1h0m2s`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${h ? `${h}h` : ''}${h || m ? `${m}m` : ''}${s}s`;
}
