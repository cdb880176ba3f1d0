import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, type ScalarTag } from 'yaml';
import type { Fault } from '../../api/index.ts';

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
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, merge: true, customTags: [oldBooleans], prettyErrors: false });
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const objects: SourceObject[] = [];
  const faults: InputFault[] = [];
  let isEmpty = true;
  for (const document of Array.isArray(documents) ? documents : []) {
    const [error] = document.errors;
    const value = error ? error : valueOf(document);
    if (value !== null && value !== undefined) isEmpty = false;
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
      objects.push(...opened({ value, at: (path) => position(offsetOf(document, path)) }));
    }
  }
  // Empty input, such as that of a broken pipe, is a fault.
  if (isEmpty) faults.push({ ...position(0), path: '', expected: 'at least one object', found: 'none' });
  return { objects, faults };
}

/** Throws nothing: a bomb of aliases is a fault like any other. */
function valueOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 1000 }) as unknown;
  } catch (error) {
    return error as Error;
  }
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
  const keys = path.matchAll(/\.?([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\[([^\]]*)\]/g);
  return [...keys].map(([, name, index, quoted, bare]) => (index === undefined ? (name ?? quoted ?? bare ?? '') : Number(index)));
}
