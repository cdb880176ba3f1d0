import { posix } from 'node:path';
import { type Fault, InvalidSpec } from '../api/errors.ts';
import type { Argument, MountTemplate } from '../api/mount-template.ts';
import { referencesIn, type Text } from '../api/template-text.ts';
import type { FuseConfig, FuseMount } from './config.ts';
import { type WordPart, type Scope, valueOf } from './values.ts';

/** A program to run. What only its place knows is still open: secrets, environment variables, the paths of files. */
export interface FuseProgram {
  /** Name of its mount, for messages. */
  readonly name: string;
  /** Absolute path of the directory that it mounts on. */
  readonly target: string;
  /** Name of a program in PATH, or an absolute path. */
  readonly program: string;
  readonly args: readonly Word[];
  /** Environment variables, by name. */
  readonly env: Readonly<Record<string, Word>>;
  /** Contents of files, by name. */
  readonly files: Readonly<Record<string, Word>>;
}
/** Parts that make one argument, one value or one file. */
export type Word = readonly WordPart[];

/**
 * The clients of a template for a config.json: one for each mount if the template says `each: mounts`, otherwise one. `file` names
 * config.json in errors, which never quote the value of an option.
 * @throws InvalidSpec with every fault, such as a reference to an option that the mount does not have.
 * @example
 * const config = parseFuseConfig('{"mounts": [{"mountPoint": "sftp://host/data"}], "targetPath": "/mnt"}');
 * const template = parseMountTemplate('program: sshfs\nargs: ["${mount.source}", "${targetPath}"]');
 * clientsOf(template, config)[0]?.args; // → [['host/data'], ['/mnt']]
 */
export function clientsOf(template: MountTemplate, config: FuseConfig, file = 'config.json'): readonly FuseProgram[] {
  const faults: Fault[] = [];
  const each = template.each === 'mounts';
  const secrets = secretsOf(template, config);
  const [only] = config.mounts.length === 1 ? config.mounts : [];
  const clients = each
    ? config.mounts.map((mount, i) => {
        const target = targetOf(config, mount, i, faults);
        return clientOf(template, { config, secrets, mount, path: `mounts[${i}]`, target }, faults);
      })
    : [clientOf(template, { config, secrets, ...(only && { mount: only, path: 'mounts[0]' }), target: config.targetPath }, faults)];
  faults.push(...colliding(clients));
  // A reference that is used twice is wrong once.
  const once = new Map(faults.map((fault) => [`${fault.path} ${fault.expected}`, fault]));
  if (once.size > 0) throw new InvalidSpec([...once.values()], { object: file });
  return clients;
}

/** Mounts that are in one place, or one below another. */
function colliding(clients: readonly FuseProgram[]): readonly Fault[] {
  const seen = new Set<string>();
  const above = holders(clients);
  return clients.flatMap(({ target }, i) => {
    const fault = (expected: string) => ({ path: `mounts[${i}]`, expected, found: target });
    const isAgain = seen.has(target);
    seen.add(target);
    const holder = above.get(target);
    return [
      ...(isAgain ? [fault('a path, or else a name, that no other mount has')] : []),
      ...(holder
        ? [
            fault(
              `a path outside of ${holder.target}, where "${holder.name}" is mounted: its directory would have to be made in that mount`,
            ),
          ]
        : []),
    ];
  });
}

/** The outermost client that each other target is below of. In order, what is below a directory comes right after it. */
function holders(clients: readonly FuseProgram[]): ReadonlyMap<string, FuseProgram> {
  const found = new Map<string, FuseProgram>();
  let holder: FuseProgram | undefined;
  const inOrder = clients.map((client) => ({ client, folder: `${client.target}/` })).toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
  for (const { client, folder } of inOrder) {
    if (holder && client.target !== holder.target && folder.startsWith(`${holder.target}/`)) found.set(client.target, holder);
    else holder = client;
  }
  return found;
}

/** The options that the controller knows to be secrets, and those that the template takes for some. */
function secretsOf(template: MountTemplate, { secretOptions }: FuseConfig): ReadonlySet<string> {
  const taken = referencesIn(template).filter(({ name }) => name.startsWith('secret'));
  return new Set([...secretOptions, ...taken.flatMap(({ key }) => key ?? [])]);
}

/** `<targetPath>/<path, or else name>`, as Fluid's own images for several mounts have it. */
function targetOf({ targetPath }: FuseConfig, { path, name }: FuseMount, i: number, faults: Fault[]): string {
  const below = path ?? name;
  if (below === undefined)
    faults.push({ path: `mounts[${i}].name`, expected: 'a name, since each mount has a directory', found: 'nothing' });
  if (below?.split('/').includes('..') || below?.includes('\0'))
    faults.push({ path: `mounts[${i}].${path ? 'path' : 'name'}`, expected: 'a path without ".." and NUL', found: JSON.stringify(below) });
  return posix.join(targetPath, below ?? '').replace(/(.)\/$/, '$1');
}

function clientOf({ program, args, env, files }: MountTemplate, scope: Scope, faults: Fault[]): FuseProgram {
  const words = (texts: Readonly<Record<string, Text>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, wordOf(text, scope, faults)]));
  return {
    name: scope.mount?.name ?? scope.mount?.mountPoint ?? 'all mounts',
    target: scope.target,
    program,
    args: flattened(args, scope, faults),
    env: words(env),
    files: words(files),
  };
}

const wordOf = (text: Text, scope: Scope, faults: Fault[]): Word =>
  text.flatMap((part) => (typeof part === 'string' ? [part] : (valueOf(part, scope, faults) ?? []))).filter((part) => part !== '');

function flattened(args: readonly Argument[], scope: Scope, faults: Fault[]): readonly Word[] {
  const words: Word[] = [];
  let isAfterOptions = false;
  const add = (word: Word) => {
    words.push(word);
    isAfterOptions ||= word.length === 1 && word[0] === '--';
  };
  for (const arg of args) {
    if ('text' in arg) add(argument(arg.text, words.at(-1), isAfterOptions, scope, faults));
    else if ('when' in arg) (holds(arg.when, scope) ? flattened(arg.args, scope, faults) : []).forEach(add);
    else for (const inner of inEach(arg, scope)) flattened(arg.args, inner, faults).forEach(add);
  }
  return words;
}

function inEach({ each, except }: Extract<Argument, { each: string }>, scope: Scope): readonly Scope[] {
  if (each === 'mounts') return scope.config.mounts.map((mount, i) => ({ ...scope, mount, path: `mounts[${i}]` }));
  const options = Object.entries(scope.mount?.options ?? {}).filter(([name]) => !except.includes(name));
  return options.map(([name, value]) => ({ ...scope, option: { name, value } }));
}

function holds(reference: Extract<Argument, { when: unknown }>['when'], scope: Scope): boolean {
  const parts = valueOf({ ...reference, fallback: reference.fallback ?? '' }, scope, []) ?? [];
  return parts.some((part) => part !== '' && part !== 'false');
}

/**
 * A value that a client could take for something else than a value is rejected: no way to escape it works for all clients.
 * Whether an argument is a list of options is seen from the `-o` in front of it.
 */
function argument(text: Text, [previous = '']: Word = [], isAfterOptions: boolean, scope: Scope, faults: Fault[]): Word {
  const word = wordOf(text, scope, faults);
  const inList = previous === '-o' || /^-o./.test(typeof text[0] === 'string' ? text[0] : '');
  for (const part of text) {
    if (typeof part === 'string' || part.name === 'volume.mountOptions' || !inList) continue;
    const value = valueOf(part, scope, [])?.[0];
    if (typeof value === 'string' && /[,\\]/.test(value))
      faults.push({
        path: placeOf(part, scope),
        expected: 'a value without "," and "\\", which separate options after -o',
        found: 'one with them',
      });
  }
  const [first] = text;
  if (first !== undefined && typeof first !== 'string' && !isAfterOptions && typeof word[0] === 'string' && word[0].startsWith('-'))
    faults.push({
      path: placeOf(first, scope),
      expected: 'a value that does not begin with "-", since an argument begins with it',
      found: 'one that does',
    });
  return word;
}

/** The field of config.json that a reference means. */
function placeOf({ name, key }: Exclude<Text[number], string>, { path = 'mounts', option }: Scope): string {
  if (name === 'runtime.options') return `runtimeOptions[${JSON.stringify(key)}]`;
  if (name.startsWith('option.')) return `${path}.options[${JSON.stringify(option?.name)}]`;
  if (name.startsWith('volume.')) return 'persistentVolumeAttrs';
  return key === undefined ? `${path}.${name.startsWith('mount.') ? 'mountPoint' : name}` : `${path}.options[${JSON.stringify(key)}]`;
}
