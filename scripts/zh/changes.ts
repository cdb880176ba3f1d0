/** How English sections changed since a person compared the Chinese ones with them: from the history of the English page. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Pair, pairsOf, type Twin } from './page.ts';
import { digestOf, pageOf, sectionsOf } from './sections.ts';
import { englishOf } from './twins.ts';

/** The changes as git prints them, word by word. */
export function changesOf(root: string, twin: Twin, title: string | undefined): string {
  const pairs = pairsOf(twin).filter(({ own, from }) => title === undefined || own.title === title || from.title === title);
  const stale = pairs.filter(({ from, seen }) => seen !== digestOf(from));
  return stale.map((pair) => changeOf(root, englishOf(twin.page), pair)).join('\n') || 'nothing has changed';
}

function changeOf(root: string, page: string, { from, seen }: Pair): string {
  const git = (...args: readonly string[]): string => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout;
  const commits = git('log', '--format=%H', '--', page).split('\n').filter(Boolean);
  for (const commit of commits) {
    const old = sectionsOf(git('show', `${commit}:${page}`)).find((each) => digestOf(each) === seen);
    if (old) return difference(pageOf([old]), pageOf([from]));
  }
  return `"${from.title}" of ${page}: no commit of this clone has it as it was (${seen ?? 'never compared'}); read it as it is`;
}

function difference(before: string, after: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-zh-'));
  try {
    writeFileSync(join(folder, 'before.md'), before);
    writeFileSync(join(folder, 'now.md'), after);
    const args = ['diff', '--no-index', '--word-diff', 'before.md', 'now.md'];
    return spawnSync('git', args, { cwd: folder, encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
