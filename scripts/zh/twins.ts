/** Chinese pages and the English pages that they are written from. */
import { existsSync, globSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Chinese pages of the repository, by their paths in it. */
export const chinesePages = (root: string): readonly string[] =>
  [...globSync('docs/zh/*.md', { cwd: root }), ...['README.zh.md'].filter((file) => existsSync(join(root, file)))].toSorted();

/** `docs/zh/<page>.md` is written from `docs/<page>.md`, and `README.zh.md` from `README.md`. */
export const englishOf = (chinese: string): string =>
  chinese.startsWith('docs/zh/') ? chinese.replace('docs/zh/', 'docs/') : chinese.replace('.zh.md', '.md');

/** The Chinese page that may have been written from this file; undefined for Chinese pages and for what is no page. */
export function chineseOf(file: string): string | undefined {
  if (!file.endsWith('.md') || file.startsWith('docs/zh/') || file.endsWith('.zh.md')) return undefined;
  return file.startsWith('docs/') ? file.replace('docs/', 'docs/zh/') : file.replace('.md', '.zh.md');
}

const LINK = /\]\((?!https?:)([^)#\s]*)(#[^)\s]+)?\)/g;

/** A block of an English page for a Chinese one: links of its tables lead to the same places. Code stays as it is. */
export function blockFor(chinese: string, block: string): string {
  if (!block.startsWith('<!-- generated')) return block;
  const english = englishOf(chinese);
  return block.replaceAll(LINK, (_, file: string, heading = '') => {
    const target = file === '' ? english : posix.join(posix.dirname(english), file);
    return `](${posix.relative(posix.dirname(chinese), target)}${heading})`;
  });
}

/** Paths in the repository of the files that a text links to, without code. */
export const targetsOf = (page: string, prose: string): readonly string[] =>
  [...prose.replaceAll(/`[^`\n]*`/g, '').matchAll(LINK)].map(([, file = '']) =>
    file === '' ? page : posix.join(posix.dirname(page), file),
  );
