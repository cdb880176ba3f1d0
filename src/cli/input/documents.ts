import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type ScalarTag,
  visit,
  YAMLParseError,
} from 'yaml';
import type { Fault } from '../../api/index.ts';
import { plainValue } from './plain-yaml.ts';

export interface Position {
  readonly file: string;
  /** From 1, as editors count. */
  readonly line: number;
  readonly column: number;
}
/** A fault in a user's input, and its place there. */
export interface InputFault extends Fault, Position {
  /** `Dataset ml/demo`; absent if no object could be read. */
  readonly object?: string;
  /** The text could not be parsed, so its objects are not known. */
  readonly unreadable?: boolean;
  /** Another object is missing, which may exist outside of the input. */
  readonly missing?: boolean;
  /** The object is a Dataset without a runtime, or a runtime without a Dataset, and nothing else is wrong. */
  readonly lone?: boolean;
  /** The field is one of another object, which the path names. */
  readonly ofAnother?: boolean;
}
export type Path = readonly (string | number)[];

/** An object of an input, and the places of its fields. */
export interface SourceObject {
  readonly value: unknown;
  /** The position of the field, or of the nearest parent that is written. */
  at(path: Path): Position;
}
export interface Documents {
  readonly objects: readonly SourceObject[];
  readonly faults: readonly InputFault[];
}

/** kubectl reads YAML 1.1, where these are booleans. */
const oldBooleans: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:[Yy]es|YES|[Nn]o|NO|[Oo]n|ON|[Oo]ff|OFF)$/,
  resolve: (text) => /^(y|on$)/i.test(text),
};

/** Every object of a YAML stream (JSON is YAML); lists of objects, as kubectl prints them, are opened. */
export function documentsIn(file: string, text: string): Documents {
  const parts = partsOf(file, text).map(read);
  const faults = parts.flatMap((part) => part.faults);
  // Empty input, such as that of a broken pipe, is a fault.
  const empty = { file, line: 1, column: 1, path: '', expected: 'at least one object', found: 'none' };
  return {
    objects: parts.flatMap(({ objects }) => objects),
    faults: parts.every(({ isEmpty }) => isEmpty) ? [...faults, empty] : faults,
  };
}

/** A piece of a file that can be read without the others. */
interface Piece {
  readonly file: string;
  readonly text: string;
  /** Lines of the file before it. */
  readonly before: number;
}

/** A line `---` begins a document, even within a text. Directives and `...` concern more than one document. */
function partsOf(file: string, text: string): readonly Piece[] {
  if (/^(?:%|\.\.\.\s|\.\.\.$|\uFEFF)|\r(?!\n)/m.test(text)) return [{ file, text, before: 0 }];
  const parts: Piece[] = [];
  let [start, before] = [0, 0];
  for (const { index } of text.matchAll(/^---(?=\s|$)/gm)) {
    if (index === start) continue;
    parts.push({ file, text: text.slice(start, index), before });
    before += newlines(text, start, index);
    start = index;
  }
  return [...parts, { file, text: text.slice(start), before }];
}

function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

interface ReadPart extends Documents {
  readonly isEmpty: boolean;
}

/** Plain documents are parsed by the library only when the position of a field is asked for: nodes take a hundred times the space of a value. */
function read(part: Piece): ReadPart {
  const value = plainValue(part.text.replace(/^---[ ]*\n/, ''));
  if (value === undefined) return parsed(part);
  let library: Documents | undefined;
  const at = (path: Path): Position => {
    library ??= unopened(part);
    // Plain YAML is one document.
    return (library.objects[0] as SourceObject).at(path);
  };
  return { objects: opened({ value, at }), faults: [], isEmpty: false };
}

function parsed(part: Piece): ReadPart {
  const { objects, faults } = unopened(part);
  return { objects: objects.flatMap(opened), faults, isEmpty: objects.length + faults.length === 0 };
}

/** As the library reads it. */
function unopened({ file, text, before }: Piece): Documents {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    merge: true,
    // The library compares each key of a map with each other: 250 kB take minutes. `twinIn` looks once at each.
    uniqueKeys: false,
    customTags: [oldBooleans],
    prettyErrors: false,
    logLevel: 'error',
  });
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { file, line: before + line, column: col };
  };
  const objects: SourceObject[] = [];
  const faults: InputFault[] = [];
  for (const document of Array.isArray(documents) ? documents : []) {
    const error = document.errors[0] ?? twinIn(document);
    const value = error ? error : valueOf(document);
    if (value instanceof Error) {
      const offset = error?.pos[0] ?? document.contents?.range?.[0] ?? 0;
      faults.push({
        ...position(offset),
        path: '',
        expected: 'YAML or JSON',
        found: `a syntax error: ${value.message.split('\n')[0] ?? ''}`,
        unreadable: true,
      });
    } else if (value !== null && value !== undefined) {
      objects.push({ value, at: (path) => position(offsetOf(document, path)) });
    }
  }
  return { objects, faults };
}

/** The first key that a map has twice, as the library tells it. */
function twinIn(document: Document): YAMLParseError | undefined {
  let found: YAMLParseError | undefined;
  visit(document, {
    Map(_, { items }) {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key) || key.value === '<<') continue;
        if (known.has(key.value)) {
          const at = key.range?.[0] ?? 0;
          found = new YAMLParseError([at, at + 1], 'DUPLICATE_KEY', 'Map keys must be unique');
          return visit.BREAK;
        }
        known.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

/** Throws nothing: a bomb of aliases is a fault like any other. */
function valueOf(document: Document): unknown {
  try {
    const value = document.toJS({ maxAliasCount: 1000 }) as unknown;
    return isLarger(value, MOST_EXPANDED) ? new Error('aliases make it larger than 8 MiB') : value;
  } catch (error) {
    return error as Error;
  }
}

/** Characters of a document with its aliases written out. */
const MOST_EXPANDED = 8 << 20;

/** Whether a value has more characters; of parts that it has more than once, each counts. */
function isLarger(value: unknown, most: number): boolean {
  const left: unknown[] = [value];
  for (let size = 0; left.length > 0; ) {
    const each = left.pop();
    size += typeof each === 'string' ? each.length : 1;
    if (size + left.length > most) return true;
    if (typeof each === 'object' && each !== null)
      for (const [key, part] of Object.entries(each)) {
        size += key.length;
        left.push(part);
      }
  }
  return false;
}

function opened(source: SourceObject): readonly SourceObject[] {
  const { kind, items } = (source.value ?? {}) as { readonly kind?: unknown; readonly items?: unknown };
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [source];
  return items.flatMap((value: unknown, i) => opened({ value, at: (path) => source.at(['items', i, ...path]) }));
}

function offsetOf(document: Document, path: Path): number {
  let node: Node | null | undefined = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (!pair) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else if (isSeq(node)) {
      node = node.items[Number(key)] as Node | undefined;
      if (!node) break;
      offset = node.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}

/** The keys of a path as errors print it: `spec.mounts[0].options["a/b"]`. */
export function keysOf(path: string): Path {
  const keys = path.matchAll(/\.?([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\[([^[\]]*)\]/g);
  return [...keys].map(([, name, index, quoted, bare]) => (index === undefined ? (name ?? quoted ?? bare ?? '') : Number(index)));
}
