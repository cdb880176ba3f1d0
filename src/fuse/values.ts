import type { Fault } from '../api/errors.ts';
import type { Reference } from '../api/template-text.ts';
import type { FuseConfig, FuseMount } from './config.ts';

/** A piece of a word: text, or what only the place where the client runs knows. */
export type WordPart = string | SecretPart | EnvPart | FilePart;
export interface SecretPart {
  readonly secret: Secret;
  /** The path of a file that holds the secret, rather than the secret. */
  readonly asFile: boolean;
}
/** Where a secret is: in a file of a mounted Secret, or in config.json itself (THIN_FUSE_CONFIG_STORAGE=secret). */
export type Secret = { readonly file: string } | { readonly option: string; readonly value: string };
export interface EnvPart {
  readonly env: string;
  readonly fallback?: string;
}
/** The path of a file of the template. */
export interface FilePart {
  readonly file: string;
}

/** The values that references can refer to. */
export interface Scope {
  readonly config: FuseConfig;
  readonly target: string;
  /** Absent where there is not exactly one that could be meant. */
  readonly mount?: FuseMount;
  /** The path of the mount, in errors: `mounts[0]`. */
  readonly path?: string;
  readonly option?: { readonly name: string; readonly value: string };
  /** Names of options whose values are secrets. */
  readonly secrets: ReadonlySet<string>;
}

/** Where kubelet puts the Secrets of a ThinRuntime, and what files there can be called. */
const SECRETS = '/etc/fluid/secrets/';
const SECRET_FILE = /^\/etc\/fluid\/secrets\/[a-z0-9][a-z0-9.-]*\/(?!\.\.)[\w.-]+$/;

/** The value of a reference; notes a fault where it has none. */
export function valueOf(reference: Reference, scope: Scope, faults: Fault[]): readonly WordPart[] | undefined {
  const { name, key = '', fallback } = reference;
  if (name === 'env') return [{ env: key, ...(fallback !== undefined && { fallback }) }];
  if (name === 'file') return [{ file: key }];
  const found = foundBy(reference, scope);
  const text = found ?? fallback;
  if (text === undefined) {
    faults.push(missing(reference, scope));
    return undefined;
  }
  if (text.includes('\0')) {
    faults.push({
      path: missing(reference, scope).path,
      expected: 'a value without NUL, which no argument can hold',
      found: 'one with NUL',
    });
    return undefined;
  }
  const option = optionOf(reference, scope);
  // A reference to a secret as plain text gets the secret's file, as where config.json names files in place of secrets.
  const isSecret = option !== undefined && (name.startsWith('secret') || scope.secrets.has(option));
  return isSecret && found !== undefined ? secretPart(option, found, name !== 'secret', scope, faults) : [text];
}

/** The option of the mount whose value a reference means. */
function optionOf({ name, key = '' }: Reference, { option }: Scope): string | undefined {
  if (name === 'option.value') return option?.name;
  return name === 'mount.options' || name === 'secret' || name === 'secretFile' ? key : undefined;
}

function foundBy({ name, key = '' }: Reference, { config, mount, target, option }: Scope): string | undefined {
  const own = (record: Readonly<Record<string, string>> | undefined) => (record && Object.hasOwn(record, key) ? record[key] : undefined);
  const readOnly = config.readOnly || (mount?.readOnly ?? false);
  switch (name) {
    case 'targetPath':
      return config.targetPath;
    case 'readOnly':
      return String(readOnly);
    case 'access':
      return readOnly ? 'ro' : 'rw';
    case 'mount.target':
      return target;
    case 'mount.name':
    case 'mount.path':
    case 'mount.mountPoint':
    case 'mount.scheme':
    case 'mount.source':
      return mount?.[name.slice('mount.'.length) as 'name' | 'path' | 'mountPoint' | 'scheme' | 'source'];
    case 'mount.bucket':
      return mount?.source.split('/', 1)[0];
    case 'mount.prefix':
      return mount?.source.split('/').slice(1).join('/');
    case 'mount.options':
    case 'secret':
    case 'secretFile':
      return own(mount?.options);
    case 'runtime.options':
      return own(config.runtimeOptions);
    case 'option.name':
      return option?.name;
    case 'option.value':
      return option?.value;
    case 'volume.handle':
      return persistentVolumeOf(config, mount)?.csi?.volumeHandle;
    case 'volume.attributes':
      return own(persistentVolumeOf(config, mount)?.csi?.volumeAttributes);
    case 'volume.mountOptions':
      return persistentVolumeOf(config, mount)?.mountOptions.join(',');
    case 'env':
    case 'file':
      return undefined;
  }
}

const persistentVolumeOf = ({ persistentVolumes }: FuseConfig, mount: FuseMount | undefined) =>
  mount?.scheme === 'pvc' ? persistentVolumes[mount.source] : undefined;

function missing({ name, source, key }: Reference, { config, mount, path = 'mounts' }: Scope): Fault {
  const because = `since the template refers to \${${source}}`;
  if (!mount && /^(mount|secret|volume|option)/.test(name))
    return {
      path: 'mounts',
      expected: `one mount, ${because} outside of each: mounts`,
      found: `${config.mounts.length} mounts`,
    };
  if (name === 'runtime.options')
    return { path: `runtimeOptions[${JSON.stringify(key)}]`, expected: `an option, ${because}`, found: 'nothing' };
  const isOption = name === 'mount.options' || name.startsWith('secret');
  return {
    path: isOption ? `${path}.options[${JSON.stringify(key)}]` : path,
    expected: `${isOption ? 'an option' : `a value of ${source}`}, ${because}`,
    found: 'nothing',
  };
}

function secretPart(
  option: string,
  value: string,
  asFile: boolean,
  { path = '' }: Scope,
  faults: Fault[],
): readonly WordPart[] | undefined {
  if (!value.startsWith(SECRETS)) return [{ secret: { option, value }, asFile }];
  // Otherwise any file of the container could be had by calling it a secret.
  if (SECRET_FILE.test(value)) return [{ secret: { file: value }, asFile }];
  faults.push({ path: `${path}.options[${JSON.stringify(option)}]`, expected: `${SECRETS}<secret>/<key>`, found: 'another path below it' });
  return undefined;
}
