/** A value in a script: text that is quoted, or the name of an environment variable that is expanded when the script runs. */
export type Arg = string | Env | Joined;
export interface Env {
  readonly env: string;
}
/** Parts that make one word, `--token=` and `$TOKEN`. */
export interface Joined {
  readonly word: readonly (string | Env)[];
}

/** Write shell as a template. Every value is quoted; a list becomes several words; `env('X')` is the one way to mean the variable X. */
export const sh = (parts: TemplateStringsArray, ...values: readonly (Arg | readonly Arg[])[]): string =>
  String.raw({ raw: parts }, ...values.map((value) => [value].flat().map(quote).join(' ')));

export function env(name: string): Env {
  if (!isEnvName(name)) throw new Error(`${JSON.stringify(name)} is no name of an environment variable`);
  return { env: name };
}
export const word = (...parts: readonly (string | Env)[]): Joined => ({ word: parts });

/** What a POSIX shell takes for a variable's name. */
export const isEnvName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

function quote(arg: Arg): string {
  if (typeof arg === 'string') return /^[A-Za-z0-9_./:=@%+,-]+$/.test(arg) ? arg : `'${arg.split("'").join(`'\\''`)}'`;
  return 'env' in arg
    ? `"\${${arg.env}}"`
    : arg.word
        .filter((part) => part !== '')
        .map(quote)
        .join('') || "''";
}
