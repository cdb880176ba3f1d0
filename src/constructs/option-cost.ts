/**
 * Whether the value of an option is one of these, in any case.
 * @example
 * valueIs('full')('Full'); // → true
 */
export const valueIs =
  (...values: readonly string[]) =>
  (value: string): boolean =>
    values.includes(value.trim().toLowerCase());

/**
 * Whether the value of an option is a time or an amount of nothing.
 * @example
 * valueIsNone('0s'); // → true
 */
export const valueIsNone = (value: string): boolean => /^0+(\.0+)?[a-z]{0,3}$/i.test(value.trim());

/**
 * Whether the value of an option is an amount below another; what is no amount is not. Units are powers of 1024.
 * @param least the amount, in the unit that a number without one has
 * @param usual that unit: `''` for one, `M` for 1024²
 * @example
 * valueBelow(100, 'M')('0.05G'); // → true
 */
export const valueBelow =
  (least: number, usual: '' | 'M' = '') =>
  (value: string): boolean => {
    const [, amount, unit = usual] = /^(\d{1,12}(?:\.\d{1,6})?) ?([KMGT])?i?B?$/i.exec(value.trim()) ?? [];
    return amount !== undefined && Number(amount) * power(unit) < least * power(usual);
  };
const power = (unit: string): number => 1024 ** ' KMGT'.indexOf(unit.toUpperCase() || ' ');

/** Whether a switch is on: it is there, and its value is not `false`. */
export const isSwitchedOn = (value: string): boolean => !valueIs('false')(value);
