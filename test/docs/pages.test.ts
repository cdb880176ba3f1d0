/** Quotes of a page stand in the file, its links lead somewhere, and the commands and options that it names exist. */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { between, blocks, CHINESE, commandNamed, PAGES, read, root, scripts, transcripts } from './pages.ts';

describe.each([...PAGES, ...CHINESE])('%s', (page) => {
  test('links to files and headings that are there', () => {
    const links = [...withoutCode(read(page)).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const broken = links.flatMap(([, file = '', heading]) => {
      const target = file === '' ? page : relative(root, join(root, dirname(page), file));
      if (!existsSync(join(root, target))) return [file];
      return heading === undefined || headingsOf(read(target)).includes(heading) ? [] : [`${file}#${heading}`];
    });
    expect(broken).toEqual([]);
  });
});

describe.each(PAGES)('%s', (page) => {
  test('quotes what stands in the files it names', () => {
    for (const { text, from } of blocks.filter((block) => block.page === page && block.from))
      expect(between(read(from ?? ''), text)).toBeUndefined();
  });

  test('names commands and options that there are', async () => {
    for (const [words, name, ...more] of typed(page)) {
      if (words === 'npm') expect(Object.keys(scripts), name).toContain(name);
      else expect(unknownOptions(await commandNamed(name ?? '', more[0]), more), `sluice ${name}`).toEqual([]);
    }
  });
});

/** Markdown without code, in which a `]` and a `(` may meet by chance. */
function withoutCode(text: string): string {
  return text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '');
}

/** As GitHub makes them. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The commands in the blocks of a page, as words; `npm` or `sluice` first. */
function typed(page: string): readonly (readonly string[])[] {
  const lines = blocks.flatMap((block) => {
    if (block.page !== page || !['sh', 'console'].includes(block.language)) return [];
    return block.language === 'sh' ? block.text.split('\n') : transcripts(block.text).map(({ command }) => command);
  });
  return lines.flatMap((line) => {
    const [, words] = /(?:npm run -s sluice --|npx sluice|^sluice) ([^|#>]*)/.exec(line) ?? [];
    if (words !== undefined) return [['sluice', ...words.trim().split(/\s+/)]];
    const [, script] = /\bnpm (?:run (?:-s )?)?([a-z]\w*)/.exec(line) ?? [];
    return script === undefined || ['install', 'ci', 'init', 'pack', 'pkg'].includes(script) ? [] : [['npm', script]];
  });
}

function unknownOptions({ options }: Command, words: readonly string[]): readonly string[] {
  const known = new Set(options.flatMap(({ long, short }) => [long, short]));
  // Words after `--` are another program's.
  const [own = ''] = words.join(' ').split(/(?:^| )-- /);
  const used = own
    .split(' ')
    .filter((word) => /^-./.test(word) && word !== '--help')
    .map((word) => word.split('=')[0] ?? '');
  return used.filter((word) => !known.has(word));
}
