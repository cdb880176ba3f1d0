import { type Fault, shown } from './errors.ts';
import { isEnvName } from './shell.ts';
import { nearest } from './wording.ts';

/** Text with references in it, `url=${mount.options.url}`. */
export type Text = readonly (string | Reference)[];
export interface Reference {
  /** As it is written, `mount.options.url`. */
  readonly source: string;
  readonly name: ReferenceName;
  /** The key, for names that have keys: `url`. */
  readonly key?: string;
  /** Used if the value does not exist: `${mount.options.region:-eu}`. */
  readonly fallback?: string;
}

/** References to one value. */
const PLAIN = {
  targetPath: 'where the file system must appear',
  access: 'ro or rw',
  readOnly: 'true or false',
  'mount.name': '',
  'mount.path': '',
  'mount.mountPoint': 'as in the Dataset: minio://bucket/a/b',
  'mount.scheme': 'minio',
  'mount.source': 'the mount point without its scheme: bucket/a/b',
  'mount.bucket': 'the source up to its first slash: bucket',
  'mount.prefix': 'the source after its first slash: a/b',
  'mount.target': 'targetPath, or the directory in it that this mount has with each: mounts',
  'option.name': 'in each: mount.options',
  'option.value': 'in each: mount.options',
  'volume.handle': 'of the volume behind pvc://',
  'volume.mountOptions': 'joined by commas',
} as const;
/** References to one of several values; the key comes after the name and a dot. */
const KEYED = ['mount.options', 'runtime.options', 'secret', 'secretFile', 'file', 'env', 'volume.attributes'] as const;

export type ReferenceName = keyof typeof PLAIN | (typeof KEYED)[number];

/** Faults of one template; a user corrects no more at a time. */
const MOST_FAULTS = 100;

const NAMES: readonly string[] = Object.keys(PLAIN);

/** `$${` is the text `${`. */
export function textOf(text: string, path: string, faults: Fault[]): Text {
  if (text.includes('\0'))
    faults.push({ path, expected: 'a text without NUL, which no argument of a program can hold', found: 'one with NUL' });
  // No reference ends behind the last }: searching there for each ${ would take quadratic time.
  const end = text.lastIndexOf('}') + 1;
  const pieces = text.slice(0, end).split(/(\$\$\{|\$\{[^}]*\})/);
  const rest = text.slice(end).split(/(\$\$\{)/);
  const parts = [...pieces.slice(0, -1), `${pieces.at(-1)}${rest[0]}`, ...rest.slice(1)].map((part, i) => {
    if (i % 2 === 0) return part;
    return part === '$${' ? '${' : referenceOf(part.slice(2, -1), path, faults);
  });
  const open = parts.find((part, i) => i % 2 === 0 && typeof part === 'string' && part.includes('${'));
  if (open !== undefined) faults.push({ path, expected: 'a } after each ${, or $${ for the text itself', found: shown(text) });
  return parts.filter((part) => part !== '');
}

export function referenceOf(source: string, path: string, faults: Fault[]): Reference {
  const [, whole = '', fallback] = /^(.*?)(?::-(.*))?$/s.exec(source) ?? [];
  const keyed = KEYED.find((name) => whole.startsWith(`${name}.`) && whole.length > name.length + 1);
  const key = keyed && whole.slice(keyed.length + 1);
  if ((keyed && (keyed !== 'env' || isEnvName(key ?? ''))) || NAMES.includes(whole)) {
    // One of both, as was just seen.
    const name = keyed ?? (whole as ReferenceName);
    return { source: whole, name, ...(key && { key }), ...(fallback !== undefined && { fallback }) };
  }
  if (faults.length >= MOST_FAULTS) return { source: whole, name: 'targetPath' };
  const known = [...NAMES, ...KEYED.map((name) => `${name}.<name>`)];
  const near = nearest(whole, known);
  faults.push({ path, expected: `a reference${near ? ` (did you mean ${near}?)` : ` (${known.join(', ')})`}`, found: shown(whole) });
  return { source: whole, name: 'targetPath' };
}

/** All references in a structure of texts. */
export function referencesIn(value: unknown): readonly Reference[] {
  if (typeof value !== 'object' || value === null) return [];
  return 'source' in value && 'name' in value ? [value as Reference] : Object.values(value).flatMap(referencesIn);
}
