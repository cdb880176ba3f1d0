/**
 * Runs in a pod: holds a file open, reads it all the time and compares each byte. Prints one line of JSON a second, and goes on past
 * errors, which it counts. Arguments: the file, and its number of lines. The numbers from 100000000 on are its lines.
 */
import { closeSync, constants, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { dirname } from 'node:path';

const [path = '', lines = ''] = process.argv.slice(1);
const FIRST = 100_000_000;
const LINE = 10;
const PIECE = 128 << 10;
const PAUSE_MS = 25;

const size = Number(lines) * LINE;
const buffer = Buffer.alloc(PIECE);
/** Past the kernel's pages the client of the file system answers each read. */
const files = { cached: openSync(path, constants.O_RDONLY), direct: openSync(path, constants.O_RDONLY | constants.O_DIRECT) };
let [reads, errors, longestMs, last] = [0, 0, 0, performance.now()];
let longestAt = '';
const first: string[] = [];

function expected(offset: number, length: number): Buffer {
  const [from, to] = [Math.floor(offset / LINE), Math.floor((offset + length - 1) / LINE)];
  const text = Array.from({ length: to - from + 1 }, (_, index) => `${FIRST + from + index}\n`).join('');
  return Buffer.from(text).subarray(offset - from * LINE, offset - from * LINE + length);
}

function attempt(what: string, read: () => void): void {
  try {
    read();
    const now = performance.now();
    if (now - last > longestMs) [longestMs, longestAt] = [now - last, new Date().toISOString()];
    last = now;
    reads++;
  } catch (error) {
    errors++;
    if (first.length < 5) first.push(`${new Date().toISOString()} ${what}: ${error instanceof Error ? error.message : error}`);
  }
}

function compare(file: number, offset: number): void {
  const length = readSync(file, buffer, 0, PIECE, offset);
  const wanted = Math.min(PIECE, size - offset);
  if (length !== wanted) throw new Error(`expected ${wanted} bytes at ${offset}, read ${length}`);
  if (!buffer.subarray(0, length).equals(expected(offset, length))) throw new Error(`other bytes at ${offset}`);
}

function openAgain(): void {
  if (readdirSync(dirname(path)).length === 0) throw new Error('an empty folder');
  const file = openSync(path, constants.O_RDONLY);
  try {
    compare(file, 0);
  } finally {
    closeSync(file);
  }
}

const mountPoint = (): string =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.split(' ')[4] === dirname(path))
    .join('; ');

process.once('SIGTERM', () => process.exit());
const report = () =>
  console.log(JSON.stringify({ reads, errors, first, longestMs: Math.round(longestMs), longestAt, mount: mountPoint() }));
let offset = 0;
setInterval(() => {
  attempt('cached read', () => compare(files.cached, offset));
  attempt('direct read', () => compare(files.direct, offset));
  offset = offset + PIECE < size ? offset + PIECE : 0;
}, PAUSE_MS);
setInterval(() => attempt('open', openAgain), 1000);
setInterval(report, 1000);
report();
