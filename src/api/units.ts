import { InvalidSpec, shown } from './errors.ts';

const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
const DECIMAL: Readonly<Record<string, number>> = { n: -3, u: -2, m: -1, '': 0, k: 1, M: 2, G: 3, T: 4, P: 5, E: 6 };
const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?\d+))$/;

/** A Kubernetes quantity (`10Gi`, `500m`, `1e3`) in units of one: bytes for storage, cores for CPU. `path` names the field in the error. */
export function quantity(value: string | number, path: string): number {
  const [, digits, binary, decimal, exponent] = QUANTITY.exec(String(value)) ?? [];
  if (digits === undefined) throw new InvalidSpec({ path, expected: 'a quantity such as 10Gi, 500M or 1.5Ti', found: shown(value) });
  const amount = Number(digits);
  if (binary) return amount * 1024 ** (BINARY.indexOf(binary as (typeof BINARY)[number]) + 1);
  if (exponent) return amount * 10 ** Number(exponent);
  return amount * 1000 ** (DECIMAL[decimal ?? ''] ?? 0);
}

/** The same amount as the API server prints it: binary suffix kept, the largest one that leaves a whole number. */
export function canonicalQuantity(value: string | number, path: string): string {
  const text = String(value);
  const [, digits, binary, , exponent] = QUANTITY.exec(text) ?? [];
  const amount = quantity(text, path);
  if (amount === 0) return '0';
  if (binary) {
    // A fraction of a binary unit is printed in the next smaller one: 1.5Gi → 1536Mi.
    for (let power = BINARY.length; power > 0; power--) {
      const whole = amount / 1024 ** power;
      if (Number.isInteger(whole)) return `${whole}${BINARY[power - 1]}`;
    }
    return String(Math.ceil(amount));
  }
  if (exponent && digits) {
    const power = Math.floor(Number(exponent) / 3) * 3;
    const scaled = Number(digits) * 10 ** (Number(exponent) - power);
    return power === 0 ? String(scaled) : `${scaled}e${power}`;
  }
  for (const [suffix, power] of Object.entries(DECIMAL).sort((a, b) => b[1] - a[1])) {
    const whole = Number((amount / 1000 ** power).toPrecision(15));
    if (Number.isInteger(whole)) return `${whole}${suffix}`;
  }
  return text;
}

/** Bytes as Fluid prints them in a status: two decimals and a binary suffix, `40.00GiB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(2)}${units[power]}`;
}

/** Bytes as Fluid prints them in a node label: at most four significant digits, no trailing zeros, `4GiB`. */
export function bytesLabel(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${Number((bytes / 1024 ** power).toPrecision(4))}${units[power]}`;
}

/** A ratio as Fluid prints it in a status, `90.0%`; undefined when there is nothing to divide by. */
export const percentText = (part: number, whole: number): string | undefined =>
  whole > 0 ? `${((part / whole) * 100).toFixed(1)}%` : undefined;

/** Seconds between two moments as Go prints a duration: `1s`, `7m13s`, `1h0m2s`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${h ? `${h}h` : ''}${h || m ? `${m}m` : ''}${s}s`;
}
