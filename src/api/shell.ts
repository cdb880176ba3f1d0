/** A value in a script: text that is quoted, or what is read when the script runs, an environment variable or a file. */
export type Arg = string | Env | Contents | Joined;
export interface Env {
  readonly env: string;
}
export interface Contents {
  readonly file: string;
}
/** Parts that make one word, `--token=` and `$TOKEN`. */
export interface Joined {
  readonly word: readonly (string | Env | Contents)[];
}

/**
 * Write shell as a template. Every value is quoted; a list becomes several words; `env('X')` is the one way to mean the variable X, and
 * `contents('/f')` what stands in the file /f. A backslash is the shell's own.
 */
export const sh = (parts: TemplateStringsArray, ...values: readonly (Arg | readonly Arg[])[]): string =>
  String.raw(parts, ...values.map((value) => [value].flat().map(quote).join(' ')));

export function env(name: string): Env {
  if (!isEnvName(name)) throw new Error(`${JSON.stringify(name)} is no name of an environment variable`);
  return { env: name };
}
/** What a file holds without the newlines at its end, such as a Secret that is mounted: so it is in no argument of the script itself. */
export function contents(file: string): Contents {
  if (!file.startsWith('/')) throw new Error(`expected an absolute path, found ${JSON.stringify(file)}`);
  return { file };
}
export const word = (...parts: readonly (string | Env | Contents)[]): Joined => ({ word: parts });

/** What a POSIX shell takes for a variable's name. */
export const isEnvName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

function quote(arg: Arg): string {
  if (typeof arg === 'string') return /^[A-Za-z0-9_./:=@%+,-]+$/.test(arg) ? arg : `'${arg.split("'").join(`'\\''`)}'`;
  if ('env' in arg) return `"\${${arg.env}}"`;
  if ('file' in arg) return `"$(cat ${quote(arg.file)})"`;
  const parts = arg.word.filter((part) => part !== '');
  return parts.map(quote).join('') || "''";
}
