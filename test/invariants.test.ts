/**
 * The modules that are hardest to change begin with numbered invariants, and titles of tests end with the numbers that they prove: `… (S3)`
 * or `… (S3, S5)`. This test keeps the two together; what an invariant says is for the tests that cite it.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Text by path. */
type Files = Readonly<Record<string, string>>;

/** As many as a reader keeps in mind. */
const FEWEST = 8;
const MOST = 15;

/** The block of comment that a module begins with, if it has invariants. */
const BLOCK = /^\/\*\*(?:(?!\*\/)[^])*?^ \* Invariants:$(?<list>(?:(?!\*\/)[^])*)\*\//m;
const ENTRY = /^ \* ([A-Z])(\d+)\. \S/gm;
/** The title of a test, also of `test.each(…)('…')` or in its table, that ends with numbers in brackets. */
const CITATION = /(?:(?:\btest(?:\.\w+)*|\))\(|\[)\s*(['"`])[^\n]*?\(([A-Z]\d+(?:, [A-Z]\d+)*)\)\1,/g;

/** Everything that is wrong, a sentence each; empty when every invariant is cited and every citation has its invariant. */
function faultsIn(sources: Files, tests: Files): readonly string[] {
  const faults: string[] = [];
  const modules = new Map<string, string>();
  const stated = new Set<string>();
  for (const [path, text] of Object.entries(sources)) {
    if (!/^\s*(?:\/\/|\*) ?Invariants:/m.test(text)) continue;
    const block = BLOCK.exec(text);
    const entries = [...(block?.groups?.['list'] ?? '').matchAll(ENTRY)].map(([, letter = '', number = '']) => ({ letter, number }));
    const letter = entries[0]?.letter ?? '';
    const numbers = entries.map((entry) => `${entry.letter}${entry.number}`);
    const expected = entries.map((_, i) => `${letter}${i + 1}`);
    if (block?.index !== 0) faults.push(`${path}: expected the invariants in the comment that the file begins with`);
    if (numbers.join() !== expected.join()) faults.push(`${path}: expected ${expected.join(', ')}, found ${numbers.join(', ')}`);
    if (entries.length < FEWEST || entries.length > MOST)
      faults.push(`${path}: expected ${FEWEST} to ${MOST} invariants, found ${entries.length}`);
    const other = modules.get(letter);
    if (other) faults.push(`${path}: expected a letter of its own, found ${letter}, which ${other} has`);
    modules.set(letter, path);
    for (const number of numbers) stated.add(number);
  }
  const cited = new Set<string>();
  for (const [path, text] of Object.entries(tests))
    for (const [, , numbers = ''] of text.matchAll(CITATION))
      for (const number of numbers.split(', ')) {
        cited.add(number);
        if (!stated.has(number)) faults.push(`${path}: expected an invariant of some module in src, found ${number}`);
      }
  for (const number of stated) if (!cited.has(number)) faults.push(`${modules.get(number[0]!)}: no title of a test cites ${number}`);
  return faults;
}

const root = join(import.meta.dirname, '..');
const read = (pattern: string): Files =>
  Object.fromEntries(globSync(pattern, { cwd: root }).map((path) => [path, readFileSync(join(root, path), 'utf8')]));

test('every invariant is cited by a test, and no test cites one that does not exist', () => {
  const sources = read('src/**/*.ts');
  const { [join('test', 'invariants.test.ts')]: _, ...tests } = read('test/**/*.test.ts');
  expect(Object.keys(sources).length).toBeGreaterThan(100);
  expect(Object.keys(tests).length).toBeGreaterThan(100);
  expect(faultsIn(sources, tests)).toEqual([]);
});

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1);
const moduleOf = (...numbers: readonly string[]): string =>
  `/**\n * A module.\n *\n * Invariants:\n${numbers.map((number) => ` * ${number}. Something holds,\n *    always.\n`).join('')}\n */\nimport 'x';\n`;
const numbered = (letter: string, count = FEWEST): readonly string[] => range(count).map((number) => `${letter}${number}`);
const titles = (...numbers: readonly string[]): string => numbers.map((number) => `test('it holds (${number})', () => {});\n`).join('');

const well = { sources: { 'src/x.ts': moduleOf(...numbered('X')) }, tests: { 'test/x.test.ts': titles(...numbered('X')) } };
test.each<[string, Files, Files]>([
  ['a title for each', {}, {}],
  ['a title for several', {}, { 'test/x.test.ts': titles(numbered('X').join(', ')) }],
  ['titles of several files', {}, { 'test/x.test.ts': titles('X1', 'X2'), 'test/y.test.ts': titles(...numbered('X').slice(2)) }],
  ['a title of test.each', {}, { 'test/x.test.ts': `test.each([\n  1,\n])(\n  'it holds (${numbered('X').join(', ')})',\n  () => {},\n)` }],
  [
    'a title in a table of test.each',
    {},
    { 'test/x.test.ts': `test.each([\n  ['it holds (${numbered('X').join(', ')})', 1],\n])('%s', () => {})` },
  ],
  ['no invariants at all', { 'src/x.ts': "import 'x';" }, { 'test/x.test.ts': "test('it holds (in part)', () => {});" }],
])('no fault is found where there is none: %s', (_, sources, tests) => {
  expect(faultsIn({ ...well.sources, ...sources }, { ...well.tests, ...tests })).toEqual([]);
});

test.each<[string, Files, Files, string]>([
  ['cited by no title', {}, { 'test/x.test.ts': titles(...numbered('X').slice(1)) }, 'src/x.ts: no title of a test cites X1'],
  ['cited in a comment alone', {}, { 'test/x.test.ts': `${titles(...numbered('X', 7))}// (X8)` }, 'src/x.ts: no title of a test cites X8'],
  [
    'cited, but not stated',
    {},
    { 'test/y.test.ts': titles('X9') },
    'test/y.test.ts: expected an invariant of some module in src, found X9',
  ],
  [
    'cited, of no module',
    {},
    { 'test/y.test.ts': titles('X1, Y1') },
    'test/y.test.ts: expected an invariant of some module in src, found Y1',
  ],
  [
    'numbered with a gap',
    { 'src/x.ts': moduleOf(...numbered('X').slice(0, 7), 'X9') },
    { 'test/y.test.ts': titles('X9'), 'test/x.test.ts': titles(...numbered('X', 7)) },
    'src/x.ts: expected X1, X2, X3, X4, X5, X6, X7, X8, found X1, X2, X3, X4, X5, X6, X7, X9',
  ],
  ['too few', { 'src/y.ts': moduleOf('Y1') }, { 'test/y.test.ts': titles('Y1') }, 'src/y.ts: expected 8 to 15 invariants, found 1'],
  [
    'too many',
    { 'src/y.ts': moduleOf(...numbered('Y', 16)) },
    { 'test/y.test.ts': titles(...numbered('Y', 16)) },
    'src/y.ts: expected 8 to 15 invariants, found 16',
  ],
  [
    'of a letter that another module has',
    { 'src/y.ts': well.sources['src/x.ts'] },
    {},
    'src/y.ts: expected a letter of its own, found X, which src/x.ts has',
  ],
  [
    'not where the file begins',
    { 'src/x.ts': `import 'y';\n${well.sources['src/x.ts']}` },
    {},
    'src/x.ts: expected the invariants in the comment that the file begins with',
  ],
])('an invariant that is %s is a fault', (_, sources, tests, fault) => {
  expect(faultsIn({ ...well.sources, ...sources }, { ...well.tests, ...tests })).toEqual([fault]);
});
