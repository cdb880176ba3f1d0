/**
 * `npm run zh`: fills the blocks of Chinese pages from the English ones, and prints what is wrong with them. Exit code 1 when something is.
 *
 *   npm run zh -- --looked-at 'docs/zh/<page>.md#<heading>'     you compared this section, or without `#` the page
 *   npm run zh -- --changes 'docs/zh/<page>.md#<heading>'       how the English section changed since someone did
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changesOf } from './zh/changes.ts';
import { faultsOf, filled, lookedAt, type Twin } from './zh/page.ts';
import { chinesePages, englishOf } from './zh/twins.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const { values } = parseArgs({ options: { 'looked-at': { type: 'string', multiple: true }, changes: { type: 'string', multiple: true } } });

const twinOf = (page: string): Twin => ({ page, chinese: read(page), english: read(englishOf(page)) });

function placeOf(text: string): { readonly twin: Twin; readonly title: string | undefined } {
  const [page = '', title] = text.split('#', 2);
  if (!chinesePages(root).includes(page)) throw new Error(`expected a Chinese page, such as docs/zh/getting-started.md, found ${page}`);
  return { twin: twinOf(page), title };
}

for (const text of values['looked-at'] ?? []) {
  const { twin, title } = placeOf(text);
  writeFileSync(join(root, twin.page), lookedAt(twin, title));
}
for (const page of chinesePages(root)) {
  const twin = twinOf(page);
  const text = filled(twin);
  if (text === twin.chinese) continue;
  writeFileSync(join(root, page), text);
  console.log(`${page}: blocks are filled from ${englishOf(page)}`);
}
for (const text of values.changes ?? []) {
  const { twin, title } = placeOf(text);
  console.log(changesOf(root, twin, title));
}
const faults = chinesePages(root).flatMap((page) => faultsOf(twinOf(page), (other) => existsSync(join(root, other))));
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
