/** A value in a script: text, which `sh` quotes, or what the script reads when it runs, a variable or a file. */
export type Arg = string | Env | Contents | Joined;
/** The value of an environment variable. */
export interface Env {
  readonly env: string;
}
/** The content of a file. */
export interface Contents {
  readonly file: string;
}
/** Parts that make one word: `--token=` and `$TOKEN`. */
export interface Joined {
  readonly word: readonly (string | Env | Contents)[];
}

/**
 * A shell script as a template. Every value is quoted; a list becomes several words; a backslash is the shell's own. `env('X')` is the
 * variable X when the script runs, `contents('/f')` what the file /f then holds.
 * @example
 * sh`mount -t ${['acme', '/mnt/my data']} ${env('TARGET')}`; // → `mount -t acme '/mnt/my data' "\${TARGET}"`
 */
export const sh = (parts: TemplateStringsArray, ...values: readonly (Arg | readonly Arg[])[]): string =>
  String.raw(parts, ...values.map((value) => [value].flat().map(quote).join(' ')));

/**
 * The value of an environment variable, for `sh`.
 * @throws Error when no variable can have the name.
 * @example
 * sh`echo ${env('HOME')}`; // → 'echo "${HOME}"'
 */
export function env(name: string): Env {
  if (!isEnvName(name)) throw new Error(`${JSON.stringify(name)} is no name of an environment variable`);
  return { env: name };
}
/**
 * The content of a file without the newlines at its end, for `sh`: a mounted Secret is then in no argument of the script.
 * @throws Error when the path is not absolute.
 * @example
 * sh`login ${contents('/etc/token')}`; // → 'login "$(cat /etc/token)"'
 */
export function contents(file: string): Contents {
  if (!file.startsWith('/')) throw new Error(`expected an absolute path, found ${JSON.stringify(file)}`);
  return { file };
}
/**
 * Parts that `sh` joins into one word.
 * @example
 * sh`client ${word('--user=', env('NAME'))}`; // → 'client --user="${NAME}"'
 */
export const word = (...parts: readonly (string | Env | Contents)[]): Joined => ({ word: parts });

/** Whether a POSIX shell accepts a name for a variable. */
export const isEnvName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

function quote(arg: Arg): string {
  if (typeof arg === 'string') return /^[A-Za-z0-9_./:=@%+,-]+$/.test(arg) ? arg : `'${arg.split("'").join(`'\\''`)}'`;
  if ('env' in arg) return `"\${${arg.env}}"`;
  if ('file' in arg) return `"$(cat ${quote(arg.file)})"`;
  const parts = arg.word.filter((part) => part !== '');
  return parts.map(quote).join('') || "''";
}
