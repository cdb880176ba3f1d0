import { isRecord } from '../../api/is-record.ts';
/**
 * Reads the YAML that programs write: block maps and lists of one-line scalars. It is ten times as fast as the whole language. A text outside
 * of this subset, or with any fault, is not read here. A test compares each answer with that of the library.
 */

/** The text is for the library. */
class NotPlain extends Error {}

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** The value of a document, as the library reads it; undefined if the document is not plain. */
export function plainValue(text: string): unknown {
  try {
    if (/^\s*[[{]/.test(text)) return jsonValue(text);
    const lines = linesOf(text);
    if (lines.length === 0) return undefined;
    const reader = { lines, next: 0 };
    const value = block(reader, (lines[0] as Line).indent);
    return reader.next === lines.length ? value : undefined;
  } catch (error) {
    if (error instanceof NotPlain || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

interface Reader {
  readonly lines: Line[];
  next: number;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const line of text.split('\n')) {
    const bare = line.replace(/^ +/, '');
    if (bare === '' || bare[0] === '#') continue;
    const indent = line.length - bare.length;
    // Printable ASCII only: no tab, no carriage return.
    if (!/^ *[\x21-\x7e][\x20-\x7e]*$/.test(line) || line.includes(' #')) throw new NotPlain();
    lines.push({ indent, text: bare.trimEnd() });
  }
  return lines;
}

const isItem = (text: string): boolean => text.startsWith('- ');

function block(reader: Reader, indent: number): unknown {
  return isItem((reader.lines[reader.next] as Line).text) ? list(reader, indent) : map(reader, indent);
}

function list(reader: Reader, indent: number): unknown[] {
  const items: unknown[] = [];
  for (let line = reader.lines[reader.next]; line?.indent === indent && isItem(line.text); line = reader.lines[reader.next]) {
    const text = line.text.slice(2);
    if (text.startsWith(' ') || isItem(text) || text === '-') throw new NotPlain();
    if (KEY.test(text)) {
      // The rest of the line is the first line of a map.
      reader.lines[reader.next] = { indent: indent + 2, text };
      items.push(map(reader, indent + 2));
    } else {
      items.push(scalar(text));
      reader.next++;
    }
    ended(reader, indent);
  }
  return items;
}

/** `:` alone, or before a space, ends a key. */
const KEY = /^([A-Za-z_][\w./-]*):(?: +((?:[^ \n].*)?))?$/;

function map(reader: Reader, indent: number): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (let line = reader.lines[reader.next]; line?.indent === indent && !isItem(line.text); line = reader.lines[reader.next]) {
    const [, key, text] = KEY.exec(line.text) ?? [];
    // The library reports a second field of a name.
    if (key === undefined || key === '__proto__' || typeof scalar(key) !== 'string' || Object.hasOwn(fields, key)) throw new NotPlain();
    reader.next++;
    const below = reader.lines[reader.next];
    const isDeeper = below !== undefined && (below.indent > indent || (below.indent === indent && isItem(below.text)));
    if (text !== undefined) fields[key] = scalar(text);
    else fields[key] = isDeeper ? block(reader, below.indent) : null;
    ended(reader, indent);
  }
  return fields;
}

/** After a value, a line that is deeper would go on with it. */
function ended({ lines, next }: Reader, indent: number): void {
  if ((lines[next]?.indent ?? 0) > indent) throw new NotPlain();
}

const NUMBER = /^[-+]?(?:0[box][\dA-Fa-f_]+|(?:\.\d+|\d[\d_]*(?:\.\d*)?)(?:[eE][-+]?\d+)?|\.(?:inf|nan))$/i;
const WORD = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

function scalar(text: string): unknown {
  const first = text[0] as string;
  if (first === '"' || first === "'") {
    if (text.length < 2 || text.indexOf(first, 1) !== text.length - 1 || text.includes('\\')) throw new NotPlain();
    return text.slice(1, -1);
  }
  if (text === '[]') return [];
  if (text === '{}') return {};
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  if (!/^(?:[\w/.+]|-[\w/.-])/.test(text) || /:(?: |$)/.test(text) || NUMBER.test(text) || WORD.test(text) || /^(?:---|\.\.\.)/.test(text))
    throw new NotPlain();
  return text;
}

/** JSON is YAML, in which no object has a field twice: its fields are as many as the keys that are written. */
function jsonValue(text: string): unknown {
  if (text.includes('"<<"')) throw new NotPlain();
  let fields = 0;
  const value = JSON.parse(text, (_key, each: unknown) => {
    if (isRecord(each)) fields += Object.keys(each).length;
    return each;
  }) as unknown;
  const written = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined).length;
  return written === fields ? value : undefined;
}
