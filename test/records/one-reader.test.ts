import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { isSought, recordFaults, rowsIn } from '../../scripts/records/faults.ts';
import { citationsIn, namesIn, readsIn } from '../../scripts/records/reads.ts';

/** scripts/records.ts is only as good as what it sees: each way to read a key, planted beside a reader that is right. */

const PAGE = '| `R-owner` | label `example.io/owner`, `metadata.ownerReferences` | editor | the owner | only in its namespace |\n';
const LABELS = "export const label = { owner: 'example.io/owner', other: 'example.io/other' } as const;\n";
const READER =
  '/** The owner. threat-model: R-owner */\nexport const ownerOf = (o) => o.labels?.[label.owner] ?? o.metadata.ownerReferences?.[0];\n';

function faultsOf(files: Readonly<Record<string, string>>, page = PAGE): readonly string[] {
  const sources = Object.entries({ 'labels.ts': LABELS, 'records.ts': READER, ...files }).map(([name, text]) =>
    ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true),
  );
  const rows = rowsIn(page);
  const sought = new Set([...rows.flatMap(({ keys }) => keys), 'example.io/other'].filter(isSought));
  const isKey = (text: string) => sought.has(text);
  const names = namesIn(sources, isKey);
  const fields = new Set(['ownerReferences']);
  const reads = sources.flatMap((source) => readsIn(source, source.fileName, { names, isKey, fields }));
  return recordFaults(
    rows,
    reads,
    sources.flatMap((source) => citationsIn(source, source.fileName)),
  );
}

test('one reader that cites its row is right', () => {
  expect(faultsOf({})).toEqual([]);
});

describe('a second place is found that reads', () => {
  test.each([
    ['an element', 'const owner = object.labels?.[label.owner];'],
    ['an element, under another name of the key', 'const KEY = label.owner;\nconst owner = object.labels[KEY];'],
    ['an element, by a table of other names', 'const wish = { who: label.owner } as const;\nconst owner = labels[wish.who];'],
    ['an element, by its text', "const owner = labels['example.io/owner'];"],
    ['a pattern', 'const { [label.owner]: owner } = labels;'],
    ['a pattern, by its text', "const { 'example.io/owner': owner } = labels;"],
    ['a comparison of keys', 'const found = Object.entries(labels).find(([key]) => key === label.owner);'],
    ['whether it is there', 'if (label.owner in labels) stop();'],
    ['a map', 'const owner = labels.get(label.owner);'],
    ['what has it', 'const has = Object.hasOwn(labels, label.owner);'],
    ['a list of keys', 'const owners = [label.owner, key].map((each) => labels[each]);'],
    ['a field', 'const uid = object.metadata.ownerReferences?.[0]?.uid;'],
    ['a field in a pattern', 'function f({ metadata: { ownerReferences = [] } }) {}'],
    ['a field in a pattern, under another name', 'const { ownerReferences: owners } = metadata;'],
  ])('%s', (_, text) => {
    const faults = faultsOf({ 'planted.ts': `${text}\n` });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^planted\.ts:\d: .* is read: expected a call of its reader in records\.ts$/);
  });
  test('also if it cites the row', () => {
    expect(faultsOf({ 'planted.ts': '/** threat-model: R-owner */\nconst owner = labels[label.owner];\n' })).toEqual([
      'R-owner: example.io/owner is read in several files: expected one, found planted.ts, records.ts',
    ]);
  });
});

describe('no read is', () => {
  test.each([
    ['a write', 'const labels = { [label.owner]: uid };'],
    ['a write of an element', 'labels[label.owner] = uid;'],
    ['a message', 'const text = `expected ${label.owner}`;'],
    ['a selector', 'const selector = { label: label.owner };'],
    ['a list that copies, and says so', '/** threat-model: keeps */\nconst KEPT = [label.owner];'],
    ['a write of the field', 'const metadata = { ownerReferences: [owner] };'],
  ])('%s', (_, text) => {
    expect(faultsOf({ 'planted.ts': `${text}\n` })).toEqual([]);
  });
});

describe('table and code name each other:', () => {
  test('a key that no row has', () => {
    expect(faultsOf({ 'planted.ts': 'const other = labels[label.other];\n' })).toEqual([
      'planted.ts:1: example.io/other is read, and docs/threat-model.md does not say who can write it',
    ]);
  });
  test('a row that no function cites', () => {
    expect(faultsOf({}, `${PAGE}| \`R-lease\` | Lease | operator | who leads | its namespace |\n`)).toEqual([
      'docs/threat-model.md: R-lease has no reader: expected a docstring that cites it',
    ]);
  });
  test('a key of a row that nothing reads', () => {
    const page = PAGE.replace('label `example.io/owner`', 'labels `example.io/owner`, `example.io/gone`');
    expect(faultsOf({}, page)).toEqual(['docs/threat-model.md: R-owner names example.io/gone, which nothing reads']);
  });
  test('a citation of no row', () => {
    expect(faultsOf({ 'planted.ts': '/** threat-model: R-gone */\nconst a = 1;\n' })).toEqual([
      'planted.ts: cites R-gone, which docs/threat-model.md does not have',
    ]);
  });
  test('a row that is there twice', () => {
    expect(faultsOf({}, PAGE + PAGE)).toEqual(['docs/threat-model.md: R-owner is there more than once']);
  });
});
