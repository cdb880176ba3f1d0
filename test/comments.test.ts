/** Comments begin with a noun or a verb (docs/style.md): a clause or a genitive in place of a noun has to be read twice. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const HABITS: readonly (readonly [string, RegExp])[] = [
  ['a clause in place of a noun', /^What\b/],
  ['a genitive without its noun', /^Of\b/],
  ['a pronoun whose noun is elsewhere', /^(?:It|Its|They|Their)\b/],
  ['"as X has it"', /\b(?:as|than) (?:(?:a|an|the|its|their) )?\w+ (?:has|have) (?:it|them)\b/i],
  ['"for so long"', /\bfor so long\b/],
  ['"for to"', /\bfor to\b/],
];

function commentsOf(text: string): readonly string[] {
  const found = text.matchAll(/\/\*\*([\s\S]*?)\*\/|(?<=^|\s)\/\/ (.*(?:\n\s*\/\/ .*)*)/g);
  return [...found].map(([, block, lines]) =>
    (block ?? lines ?? '')
      .replaceAll(/\n\s*(?:\*|\/\/)\s?/g, ' ')
      .replace(/^[\s*]+/, '')
      .trim(),
  );
}

const faultsOf = (text: string): readonly string[] =>
  commentsOf(text).flatMap((comment) =>
    HABITS.filter(([, habit]) => habit.test(comment)).map(([name]) => `${name}: ${comment.slice(0, 80)}`),
  );

test.each([
  ['/** What is mounted here. */', 1],
  ['/**\n * Of the watch that is open.\n */', 1],
  ['// The exit code,\n// as a shell has it.', 1],
  ['const x = 1; // Of those', 1],
  ['/** Its size, in bytes. */', 1],
  ['/** The mount here. */\n// What a mount shows is read once.', 1],
  ['/** The mount here, and what it hides. */', 0],
])('%s: %i', (text, count) => expect(faultsOf(text)).toHaveLength(count));

test.each(['src', 'runtimes', 'harness', 'bench', 'scripts', 'examples', 'test'])(
  'comments of %s begin with a noun or a verb',
  (folder) => {
    const files = globSync(`${folder}/**/*.{ts,tsx}`, {
      cwd: root,
      exclude: ['**/node_modules/**', '**/*.gen.ts', 'test/comments.test.ts'],
    });
    expect(files.flatMap((file) => faultsOf(readFileSync(join(root, file), 'utf8')).map((fault) => `${file}: ${fault}`))).toEqual([]);
  },
);
