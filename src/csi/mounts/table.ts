import { closeSync, openSync, readSync } from 'node:fs';
import { type MountInfo, parseMountinfo } from './mountinfo.ts';

/** The mount table at one moment: its bytes, and what each line of them says. */
export interface Table {
  readonly bytes: Buffer;
  readonly lines: readonly Line[];
  /** Mounts that came or went since the table before. */
  readonly changed: readonly MountInfo[];
}
interface Line {
  /** With its newline. */
  readonly length: number;
  /** undefined: nothing that can be read. */
  readonly mount: MountInfo | undefined;
}

/**
 * Reads what has changed since the last reading. Nodes have tables of many hundred lines, of which a publication changes one; to parse
 * all of them several times for each is most of the memory that a plugin would use.
 */
export function nextTable(before: Table, bytes: Buffer): Table {
  const old = before.lines;
  let [first, head] = [0, 0];
  for (; first < old.length; first++) {
    const { length } = old[first] as Line;
    if (head + length > bytes.length || bytes.compare(before.bytes, head, head + length, head, head + length) !== 0) break;
    head += length;
  }
  let [last, tail] = [old.length, 0];
  for (; last > first; last--) {
    const { length } = old[last - 1] as Line;
    const [from, was] = [bytes.length - tail - length, before.bytes.length - tail - length];
    // At a boundary of lines, or it is the end of a longer line.
    const isLine = from >= head && (from === 0 || bytes[from - 1] === NEWLINE);
    if (!isLine || bytes.compare(before.bytes, was, was + length, from, from + length) !== 0) break;
    tail += length;
  }
  const between = linesOf(bytes.subarray(head, bytes.length - tail));
  const changed = [...old.slice(first, last), ...between].flatMap(({ mount }) => mount ?? []);
  return { bytes, lines: [...old.slice(0, first), ...between, ...old.slice(last)], changed };
}

export const EMPTY: Table = { bytes: Buffer.alloc(0), lines: [], changed: [] };
const NEWLINE = 10;

function linesOf(bytes: Buffer): readonly Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline === -1 ? bytes.length : newline + 1;
    lines.push({ length: end - at, mount: parseMountinfo(bytes.toString('utf8', at, end))[0] });
    at = end;
  }
  return lines;
}

/** A reading: the same list of mounts for as long as nothing has changed. */
export interface MountTableReading {
  readonly mounts: readonly MountInfo[];
  /** Mounts that came or went since the reading before. */
  readonly changed: readonly MountInfo[];
}

/** Reads the table of this process's namespace. It is made of what the kernel knows; no file system is asked. */
export function mountTable(): () => MountTableReading {
  let table = EMPTY;
  let mounts: readonly MountInfo[] = [];
  let [buffer, spare] = [Buffer.alloc(64 << 10), Buffer.alloc(64 << 10)];
  return () => {
    const fd = openSync('/proc/self/mountinfo', 'r');
    try {
      // The kernel gives a page at a time: by way of the thread pool each would be a round trip.
      for (let length = 0; ; ) {
        const count = readSync(fd, buffer, length, buffer.length - length, null);
        length += count;
        if (length === buffer.length) buffer = Buffer.concat([buffer], 2 * length);
        if (count > 0) continue;
        const bytes = buffer.subarray(0, length);
        if (bytes.equals(table.bytes)) return { mounts, changed: [] };
        table = nextTable(table, bytes);
        mounts = table.lines.flatMap(({ mount }) => mount ?? []);
        // Nobody writes to the table's own objects.
        [buffer, spare] = [spare, buffer];
        return { mounts, changed: table.changed };
      }
    } finally {
      closeSync(fd);
    }
  };
}
