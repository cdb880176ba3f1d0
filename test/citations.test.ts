/** Citations of comments and docs exist in the repository: files, headings, decisions. A stranger follows them, and has nothing else. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const FOLDERS = 'src|runtimes|harness|bench|scripts|test|docs|examples|crds';
const FILES = globSync([`{${FOLDERS.replaceAll('|', ',')}}/**/*.{ts,md,sh}`, '*.md', '.ci/run'], { cwd: root }).filter(
  (file) => !file.includes('/fixtures/') && !file.endsWith('.gen.ts'),
);
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Markdown is a comment as a whole, but for what it quotes; of programs, what stands after comment marks. */
const proseOf = (file: string, text: string): string =>
  file.endsWith('.md')
    ? text.replace(/^```.*?^```$/gms, '')
    : [...text.matchAll(/^\s*(?:\/\*\*?|\*|#|\/\/) (.*)$|\s\/\/ (.*)$/gm)].map(([, line, end]) => line ?? end).join('\n');

const headingsOf = (text: string): readonly string[] => [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title);
const decisions = globSync('docs/adr/*.md', { cwd: root }).map((file) => Number(/(\d{4})-/.exec(file)?.[1]));

function faultsOf(file: string, text: string): readonly string[] {
  const prose = proseOf(file, text);
  const paths = [...prose.matchAll(new RegExp(`(?<![\\w./@-])(?:${FOLDERS})/[\\w./-]*\\w(?![\\w/]*[<*{$…])`, 'g'))].map(([path]) => path);
  const links = file.endsWith('.md')
    ? [...prose.matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, to = '']) => normalize(join(dirname(file), to)))
    : [];
  const sections = [...prose.matchAll(/(docs\/[\w-]+\.md)[,:]? "([^"]+)"/g)];
  return [
    ...[...paths, ...links].filter((path) => !existsSync(join(root, path))).map((path) => `${path} does not exist`),
    ...sections
      .filter(([, page = '', title = '']) => existsSync(join(root, page)) && !headingsOf(read(page)).includes(title))
      .map(([, page, title]) => `${page} has no heading "${title}"`),
    ...[...prose.matchAll(/\b(?:decision|ADR) (\d+)\b/g)]
      .map(([, number]) => Number(number))
      .filter((number) => !decisions.includes(number))
      .map((number) => `decision ${number} does not exist`),
    ...[...prose.matchAll(/\.\.\/shared\/(?!goldens\b|seeds\b)[\w./-]*\w/g)].map(([path]) => `${path} is outside of the repository`),
  ];
}

describe('citations of comments and docs exist in the repository:', () => {
  test('the check reports a file, a heading, a decision and a place outside that do not exist', () => {
    const comment = '// As src/none.ts says, docs/operating.md, "No such heading", decision 9999 and ../shared/design/x.md.\n';
    expect(faultsOf('src/planted.ts', comment)).toEqual([
      'src/none.ts does not exist',
      'docs/operating.md has no heading "No such heading"',
      'decision 9999 does not exist',
      '../shared/design/x.md is outside of the repository',
    ]);
    expect(faultsOf('docs/planted.md', '[here](adr/none.md)')).toEqual(['docs/adr/none.md does not exist']);
  });
  test('and every citation leads somewhere', () => {
    expect(FILES.length).toBeGreaterThan(500);
    expect(FILES.flatMap((file) => faultsOf(file, read(file)).map((fault) => `${file}: ${fault}`))).toEqual([]);
  });
});
