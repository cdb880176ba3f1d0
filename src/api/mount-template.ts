import { parseDocument } from 'yaml';
import { type Fault, InvalidSpec, shown } from './errors.ts';
import { isEnvName } from './shell.ts';
import { type Reference, referenceOf, referencesIn, type Text, textOf } from './template-text.ts';
import { knownField } from './wording.ts';

/**
 * How to call a FUSE client for any Dataset: a vendor writes it instead of a program that reads config.json. It is data; no shell evaluates
 * any of it.
 */
export interface MountTemplate {
  /** Name of a program in PATH, or an absolute path. */
  readonly program: string;
  /** `mounts`: one client for each mount, on a directory of its own. Otherwise one client, for one mount. */
  readonly each?: 'mounts';
  /**
   * `remount`: when config.json changes, clients are stopped and started as it then says. Otherwise a client keeps the arguments it started with.
   */
  readonly onChange?: 'remount';
  readonly args: readonly Argument[];
  /** The client's environment by name, besides the one it starts in. */
  readonly env: Readonly<Record<string, Text>>;
  /** Files by name, which only the client's user can read. `${file.<name>}` is the path of each. */
  readonly files: Readonly<Record<string, Text>>;
}
export type Argument =
  | { readonly text: Text }
  /** Only where the reference has a value that is neither empty nor `false`. */
  | { readonly when: Reference; readonly args: readonly Argument[] }
  /** Once for each mount, or for each option of the mount; `except` names options that are left out. */
  | { readonly each: 'mounts' | 'mount.options'; readonly except: readonly string[]; readonly args: readonly Argument[] };

/**
 * Reads a mount template in YAML or JSON. `object` names it in errors.
 * @throws InvalidSpec with every fault.
 * @example
 * parseMountTemplate('program: sshfs\nargs: ["${mount.source}", "${targetPath}"]').program; // → 'sshfs'
 */
export function parseMountTemplate(text: string, object = 'mount template'): MountTemplate {
  const faults: Fault[] = [];
  const template = read(valueIn(text, object), faults);
  if (faults.length > 0) throw new InvalidSpec(faults, { object });
  return template;
}

function valueIn(text: string, object: string): unknown {
  const fault = (path: string, found: string) => new InvalidSpec({ path, expected: 'YAML or JSON', found }, { object });
  try {
    const document = parseDocument(text, { prettyErrors: false });
    const [broken] = document.errors;
    if (broken) throw fault(`at character ${broken.pos[0]}`, broken.message);
    return document.toJS();
  } catch (error) {
    // Aliases that lead nowhere or would fill the memory, and brackets too deep for the parser.
    throw error instanceof InvalidSpec ? error : fault('template', (error as Error).message);
  }
}

const FIELDS = ['program', 'each', 'onChange', 'args', 'env', 'files'];

function read(value: unknown, faults: Fault[]): MountTemplate {
  const fault = (path: string, expected: string, found: unknown) => void faults.push({ path, expected, found: shown(found) });
  const fields = fieldsOf(value, '', FIELDS, faults);
  const { program, each, onChange } = fields;
  const isProgram = typeof program === 'string' && /^[^-$\0][^$\0]*$/.test(program);
  if (!isProgram) fault('program', 'the name or absolute path of a program, without references', program);
  if (each !== undefined && each !== 'mounts') fault('each', 'mounts, or nothing', each);
  if (onChange !== undefined && onChange !== 'remount') fault('onChange', 'remount, or nothing', onChange);
  const env = texts(fields['env'], 'env', faults);
  const files = texts(fields['files'], 'files', faults);
  for (const name of Object.keys(env).filter((key) => !isEnvName(key))) fault(`env.${name}`, 'the name of an environment variable', name);
  for (const name of Object.keys(files).filter((key) => !/^[\w.-]+$/.test(key) || /^\.+$/.test(key)))
    fault(`files.${name}`, 'a file name of letters, digits, ".", "_" and "-"', name);
  const args = argumentsOf(fields['args'] ?? [], 'args', faults);
  const inArgs = referencesIn(args);
  for (const { name, source } of inArgs.filter((reference) => reference.name === 'secret'))
    fault('args', `no \${${name}.…}, since every process sees arguments; env or files, or \${secretFile.…}`, source);
  for (const { key = '', source } of [...inArgs, ...referencesIn([env, files])].filter(({ name }) => name === 'file'))
    if (!Object.hasOwn(files, key)) fault('files', `a file ${shown(key)}, since \${${source}} refers to it`, undefined);
  return { program: String(program), args, env, files, ...(each === 'mounts' && { each }), ...(onChange === 'remount' && { onChange }) };
}

function argumentsOf(value: unknown, path: string, faults: Fault[]): readonly Argument[] {
  if (!Array.isArray(value)) {
    faults.push({ path, expected: 'a list', found: shown(value) });
    return [];
  }
  return value.map((item: unknown, i) => argumentOf(item, `${path}[${i}]`, faults));
}

function argumentOf(value: unknown, path: string, faults: Fault[]): Argument {
  if (isScalar(value)) return { text: textOf(String(value), path, faults) };
  const fields = fieldsOf(value, path, ['when', 'each', 'except', 'args'], faults);
  const args = argumentsOf(fields['args'], `${path}.args`, faults);
  const { when, each, except = [] } = fields;
  if (typeof when === 'string' && each === undefined) return { when: referenceOf(when, `${path}.when`, faults), args };
  const isEach = each === 'mounts' || each === 'mount.options';
  const isExcept = Array.isArray(except) && except.every((name) => typeof name === 'string');
  if (when !== undefined || !isEach)
    faults.push({ path, expected: 'a text, when: <reference>, each: mounts or each: mount.options', found: shown(value) });
  if (!isExcept) faults.push({ path: `${path}.except`, expected: 'a list of names of options', found: shown(except) });
  return { each: isEach ? each : 'mounts', except: isExcept ? except : [], args };
}

function texts(value: unknown, path: string, faults: Fault[]): Readonly<Record<string, Text>> {
  if (value === undefined || value === null) return {};
  return Object.fromEntries(
    Object.entries(fieldsOf(value, path, undefined, faults)).map(([name, text]) => {
      if (!isScalar(text)) faults.push({ path: `${path}.${name}`, expected: 'a text', found: shown(text) });
      return [name, textOf(String(text), `${path}.${name}`, faults)];
    }),
  );
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

function fieldsOf(value: unknown, path: string, known: readonly string[] | undefined, faults: Fault[]): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.push({ path: path || 'template', expected: 'an object', found: shown(value) });
    return {};
  }
  for (const name of known ? Object.keys(value) : [])
    if (!known?.includes(name))
      faults.push({ path: path ? `${path}.${name}` : name, expected: knownField(name, known ?? []), found: shown(name) });
  return value as Readonly<Record<string, unknown>>;
}
