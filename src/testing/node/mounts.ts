/** The machine's mount table, as far as a test node is concerned. */
import { readFileSync } from 'node:fs';

export interface Mounted {
  readonly path: string;
  readonly type: string;
  /** Major and minor, as in `0:57`. */
  readonly device: string;
}

/** What is mounted at `dir` and below it, in the order of mounting. */
export function mountsBelow(dir: string, table: string = readFileSync('/proc/self/mountinfo', 'utf8')): readonly Mounted[] {
  return table
    .split('\n')
    .filter((line) => line !== '')
    .map(parseLine)
    .filter(({ path }) => path === dir || path.startsWith(`${dir}/`));
}

function parseLine(line: string): Mounted {
  const fields = line.split(' ');
  const type = fields[fields.indexOf('-') + 1] ?? '';
  return { path: unescaped(fields[4] ?? ''), type, device: fields[2] ?? '' };
}

/** The kernel writes space, tab, newline and backslash in octal. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
