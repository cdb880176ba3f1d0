/** Chinese pages have the blocks of the English ones, and someone has looked at each section since the English one changed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultsOf, filled, lookedAt, type Twin } from '../scripts/zh/page.ts';
import { pageOf, sectionsOf } from '../scripts/zh/sections.ts';
import { chinesePages, englishOf } from '../scripts/zh/twins.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const ENGLISH = `# Title

First.

\`\`\`sh
# no heading
run
\`\`\`

## Second

![A picture](a.svg)

<!-- generated: table -->

| [a](b.md#c) | [d](#second) |
| --- | --- |

<!-- end -->

### Third

Words.
`;
const CHINESE = `# 标题
<!-- en: Title -->

[English](../x.md)

第一。

\`\`\`
\`\`\`

## 第二
<!-- en: Second -->

![图](../a.svg)

\`\`\`
\`\`\`

### 第三
<!-- en: Third -->

文字。
`;
const PAGE = 'docs/zh/x.md';
const exists = (page: string): boolean => page === 'docs/zh/x.md';
const twin = (chinese: string, english = ENGLISH): Twin => ({ page: PAGE, chinese, english });
const good = filled(twin(lookedAt(twin(CHINESE), undefined)));
const faults = (chinese: string, english = ENGLISH): readonly string[] => faultsOf(twin(chinese, english), exists);

describe('a Chinese page', () => {
  test('gets blocks from the English one, and links of its tables lead to the same places', () => {
    expect(good).toContain('```sh\n# no heading\nrun\n```');
    expect(good).toContain('| [a](../b.md#c) | [d](../x.md#second) |');
    expect(faults(good)).toEqual([]);
    expect(pageOf(sectionsOf(good))).toBe(good);
  });

  test.each([
    ['a section that no person has compared yet', CHINESE, ENGLISH, /"第三" was not compared with "Third"/],
    ['a sentence that changed', good, ENGLISH.replace('Words.', 'Other words.'), /"第三" was not .* --looked-at 'docs\/zh\/x.md#Third'/],
    ['code that changed', good, ENGLISH.replace('run', 'walk'), /"标题" was not compared/],
    ['code that differs', good.replace('run', 'walk'), ENGLISH, /blocks of "标题" differ/],
    ['a block too few', good.replace(/```sh[\s\S]*?```/, ''), ENGLISH, /"标题" has 0 blocks, "Title" 1/],
    ['a heading that is missing', good.replace(/### 第三[\s\S]*/, ''), ENGLISH, /section "Third" .* is missing/],
    ['a heading that is new', good, `${ENGLISH}\n## Fourth\n`, /section "Fourth" .* is missing/],
    ['a heading that the English page lost', good, ENGLISH.replace('### Third', '### Fourth'), /has no section "Third"/],
    ['another order', swapped(good), ENGLISH, /another order/],
    ['another level', good.replace('### 第三', '## 第三'), ENGLISH, /"第三" has level 2, "Third" level 3/],
    ['a heading without its English one', good.replace(/<!-- en: Third.*/, ''), ENGLISH, /"第三" lacks/],
    ['another picture', good.replace('a.svg', 'b.svg'), ENGLISH, /other pictures/],
    [
      'a link to a page that exists in Chinese',
      good.replace('文字', '[文字](../x.md)'),
      ENGLISH,
      /links to docs\/x.md, .*: docs\/zh\/x.md/,
    ],
  ])('has a fault: %s', (_, chinese, english, fault) => {
    expect(faults(chinese, english).join('\n')).toMatch(fault);
  });

  test('may change its tables without a look', () => {
    const english = ENGLISH.replace('| --- |', '| --- |\n| e | f |');
    expect(faults(filled(twin(good, english)), english)).toEqual([]);
  });

  test('may have a table in Chinese, which is to be compared when the English table changes', () => {
    const own = CHINESE.replace('\n```\n```\n\n###', '\n<!-- in Chinese: table -->\n\n| 甲 |\n| --- |\n\n<!-- end -->\n\n###');
    const seen = filled(twin(lookedAt(twin(own), undefined)));
    expect(seen).toContain('| 甲 |');
    expect(faults(seen)).toEqual([]);
    expect(faults(seen, ENGLISH.replace('| --- |', '| --- |\n| e | f |')).join()).toMatch(/"第二" was not compared/);
    expect(faults(seen.replace('Chinese: table', 'Chinese: other')).join()).toMatch(/blocks of "第二" differ/);
  });

  test('may show the page of sluice ui in Chinese', () => {
    const english = ENGLISH.replace('a.svg', 'a-light.png');
    const own = filled(twin(lookedAt(twin(good, english), undefined), english));
    expect(faults(own.replace('a.svg', 'a-chinese.png'), english)).toEqual([]);
    expect(faults(own.replace('a.svg', 'b-chinese.png'), english).join()).toMatch(/other pictures/);
  });

  test('may leave a section out by name, and has a fault when it does not exist', () => {
    const chinese = good.replace(/### 第三[\s\S]*/, '').replace('第一', '<!-- without: Third -->\n\n第一');
    expect(faults(chinese)).toEqual([]);
    expect(faults(chinese.replace('without: Third', 'without: Third; Tenth')).join()).toContain('no section "Tenth"');
  });

  test('records a look at one section alone, by either heading', () => {
    const english = ENGLISH.replace('First.', 'Last.').replace('Words.', 'Other words.');
    expect(faults(lookedAt(twin(good, english), 'Third'), english)).toHaveLength(1);
    expect(lookedAt(twin(good, english), '第三')).toBe(lookedAt(twin(good, english), 'Third'));
    expect(() => lookedAt(twin(good), 'Tenth')).toThrow('docs/zh/x.md: expected a section with <!-- en: … -->, found none called Tenth');
  });
});

test.each(chinesePages(root))('%s is up to date with its English page', (page) => {
  const found = { page, chinese: read(page), english: read(englishOf(page)) };
  expect(faultsOf(found, (other) => existsSync(join(root, other)))).toEqual([]);
});

function swapped(page: string): string {
  const [first, second, third] = sectionsOf(page);
  return pageOf([first, third, second].flatMap((each) => each ?? []));
}
