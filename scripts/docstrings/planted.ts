/** The name under which examples import it. Examples with results cannot: only a real file runs. */
export const PLANTED_ENTRY = 'planted';

/** A module with one fault of each sort, and beside each what is right; a checker that sees no docstrings reports none or all. */
export const PLANTED = `
export interface Silent { readonly name: string }
/** Sizes. */
export interface Sizes {
  /** How large it is. */
  readonly large: number;
  /** How large it is, in bytes. */
  readonly size: number;
  readonly totalBytes: number;
  readonly byName: Readonly<Record<string, string>>;
  readonly name: string;
}
/** Never called by an example. */
export function lonely(): void {}
/**
 * Throws by a function that it calls.
 * @example thrower();
 */
export const thrower = (): void => inner();
function inner(): void {
  throw new Error('x');
}
/**
 * Catches what it throws.
 * @example const caught: undefined = catcher();
 */
export function catcher(): undefined {
  try {
    inner();
  } catch {
    return undefined;
  }
}
/**
 * Has an example that does not compile.
 * @example const text: string = misused();
 */
export const misused = (): number => 1;
/**
 * Has an example with another result.
 * @example [1].length; // → 2
 */
export const liar = (): number => 1;
/**
 * Has an example that throws another text.
 * @example new Error('a').message.at(0); // throws b
 */
export const quiet = (): number => 1;
/**
 * Has an example that is right.
 * @example [1].length; // → 1
 */
export const honest = (): number => 1;
`;

export const PLANTED_FAULTS: readonly string[] = [
  'Silent: expected a docstring',
  'Sizes.large: expected the unit of a number',
  'Sizes.byName: expected a docstring',
  'Sizes.totalBytes: expected a docstring',
  'lonely: expected an @example',
  'thrower: expected @throws',
  'liar: @example: expected the result that it says',
  'quiet: @example: expected the result that it says',
  "misused: @example: Type 'number' is not assignable to type 'string'",
];
