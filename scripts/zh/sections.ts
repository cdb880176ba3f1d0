/** Markdown as sections, each with its prose and its blocks: a block is what Chinese pages copy from the English ones. */
import { createHash } from 'node:crypto';

export interface Section {
  /** The text of the heading; of a Chinese page in Chinese. */
  readonly title: string;
  /** Number of `#`. */
  readonly level: number;
  /** Lines from the heading on, with a mark in place of each block. */
  readonly prose: string;
  readonly blocks: readonly string[];
}

// A fence without content is where the script is to put a block: hence the lazy group.
const BLOCK =
  /^<!-- (?:generated: \w+|demo|in Chinese: \w+(?: [0-9a-f]{8})?) -->\n[\s\S]*?^<!-- end(?: demo)? -->$|(?:^<!-- from \S+ -->\n)?^```[^\n]*\n(?:[\s\S]*?\n)??```$/gm;
const MARK = '\u0000';

/** The sections of a page, from its first heading on. */
export function sectionsOf(page: string): readonly Section[] {
  const blocks = [...page.matchAll(BLOCK)].map(([block]) => block);
  let next = 0;
  return page
    .replaceAll(BLOCK, MARK)
    .split(/^(?=#+ )/m)
    .filter((prose) => prose.startsWith('#'))
    .map((prose) => {
      const [, hashes = '', title = ''] = /^(#+) (.*)/.exec(prose) ?? [];
      const from = next;
      next += prose.split(MARK).length - 1;
      return { title, level: hashes.length, prose, blocks: blocks.slice(from, next) };
    });
}

/** The page of these sections: the inverse of sectionsOf. */
export const pageOf = (sections: readonly Section[]): string =>
  sections
    .map(({ prose, blocks }) =>
      prose
        .split(MARK)
        .map((part, i) => `${part}${blocks[i] ?? ''}`)
        .join(''),
    )
    .join('');

/** A digest of everything in a section that people write: what a program writes changes without them. */
export function digestOf({ prose, blocks }: Section): string {
  const written = blocks.map((block) => (block.startsWith('<!--') ? block.slice(0, block.indexOf('\n')) : block));
  return digestOfText([prose.replaceAll(/\s+/g, ' ').trim(), ...written].join('\n'));
}

export const digestOfText = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
