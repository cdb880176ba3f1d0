import { expect, test } from 'vitest';
import { diffLines } from '../../../src/ui/page/format/diff-lines.ts';
import { editable } from '../../../src/ui/page/format/editable.ts';
import { age, bytes, duration, percent, ratioOf } from '../../../src/ui/page/format/figures.ts';
import { pieces, visible } from '../../../src/ui/page/format/visible.ts';

test('bytes have at most four characters and a unit', () => {
  expect([0, 1, 1023, 1024, 1536, 1024 ** 2 * 99.96, 1024 ** 4 - 1, 2.5 * 1024 ** 5].map(bytes)).toEqual([
    '0 B',
    '1 B',
    '1023 B',
    '1 KiB',
    '1.5 KiB',
    '100 MiB',
    '1 TiB',
    '2.5 PiB',
  ]);
});

test('only all is 100%, and only nothing 0%', () => {
  expect([0, 0.001, 0.5, 0.994, 0.9999, 1].map(percent)).toEqual(['0%', '<1%', '50%', '>99%', '>99%', '100%']);
});

test('there is no ratio of what is unknown, or of no capacity', () => {
  expect([ratioOf(1, 4), ratioOf(5, 4), ratioOf(undefined, 4), ratioOf(1, undefined), ratioOf(1, 0)]).toEqual([
    0.25,
    1,
    undefined,
    undefined,
    undefined,
  ]);
});

test('durations are those of kubectl', () => {
  expect([0, 59, 60, 61, 599, 600, 3600, 12_000, 86_400 * 3 + 7200, 86_400 * 40].map(duration)).toEqual([
    '0s',
    '59s',
    '1m',
    '1m1s',
    '9m59s',
    '10m',
    '1h',
    '3h20m',
    '3d2h',
    '40d',
  ]);
  expect(age(2000, 1000)).toBe('0s');
});

test('characters that nobody sees are shown by their code points, and others as they are', () => {
  expect(pieces('plain <b>"text"</b> 数据 ✓ ⚠️')).toEqual([{ text: 'plain <b>"text"</b> 数据 ✓ ⚠️', unseen: false }]);
  expect(pieces('a\u202etxt.exe')).toEqual([
    { text: 'a', unseen: false },
    { text: 'U+202E', unseen: true },
    { text: 'txt.exe', unseen: false },
  ]);
  expect(visible('\u0000\u200b\u2066\ufeff\u001b[31m')).toBe('⟨U+0000⟩⟨U+200B⟩⟨U+2066⟩⟨U+FEFF⟩⟨U+001B⟩[31m');
  expect(visible('two\nlines\tand a tab')).toBe('two\nlines\tand a tab');
  expect(visible('tag \u{e0041}')).toBe('tag ⟨U+E0041⟩');
});

test('lines of a difference are told apart, also those of its head', () => {
  expect(diffLines('--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n').map(({ kind }) => kind)).toEqual([
    'place',
    'place',
    'place',
    'removed',
    'added',
    'same',
  ]);
});

test('a manifest that is edited begins without what the API server and controllers fill in', () => {
  const yaml =
    'kind: Dataset\nmetadata:\n  name: demo\n  uid: 1\n  generation: 2\n  labels:\n    uid: mine\nspec:\n  uid: kept\nstatus:\n  phase: Bound\n';
  expect(editable(yaml)).toBe('kind: Dataset\nmetadata:\n  name: demo\n  labels:\n    uid: mine\nspec:\n  uid: kept\n');
  expect(editable('status:\n  a: 1\nspec:\n  b: 2\n')).toBe('spec:\n  b: 2\n');
});
