/** Lines that a unified diff shows around a change. */
const CONTEXT = 3;

type Edit = { readonly sign: ' ' | '-' | '+'; readonly line: string };

/** The hunks of a unified diff, as `diff -u` prints them; empty when the texts are equal. */
export function unified(before: readonly string[], after: readonly string[]): readonly string[] {
  const edits = editsOf(before, after);
  const isNear = edits.map((_, i) => edits.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(({ sign }) => sign !== ' '));
  const lines: string[] = [];
  let [old, young] = [1, 1];
  for (let i = 0; i < edits.length; ) {
    if (!isNear[i]) {
      [old, young, i] = [old + 1, young + 1, i + 1];
      continue;
    }
    const end = isNear.indexOf(false, i);
    const hunk = edits.slice(i, end === -1 ? undefined : end);
    const [minus, plus] = [hunk.filter(({ sign }) => sign !== '+').length, hunk.filter(({ sign }) => sign !== '-').length];
    lines.push(`@@ -${range(old, minus)} +${range(young, plus)} @@`, ...hunk.map(({ sign, line }) => sign + line));
    [old, young, i] = [old + minus, young + plus, i + hunk.length];
  }
  return lines;
}

const range = (start: number, count: number): string => (count === 1 ? `${start}` : `${count === 0 ? start - 1 : start},${count}`);

/** By the longest common subsequence: manifests are short, so the exact, most readable answer is cheap. */
function editsOf(before: readonly string[], after: readonly string[]): readonly Edit[] {
  let [head, tail] = [0, 0];
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return [
    ...same(before.slice(0, head)),
    ...between(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

const same = (lines: readonly string[]): readonly Edit[] => lines.map((line) => ({ sign: ' ', line }));

function between(a: readonly string[], b: readonly string[]): readonly Edit[] {
  // common[i][j]: how many lines a from i and b from j have in common.
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      (common[i] as Uint32Array)[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      edits.push({ sign: ' ', line: a[i] as string });
      [i, j] = [i + 1, j + 1];
    } else if (j === b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) edits.push({ sign: '-', line: a[i++] as string });
    else edits.push({ sign: '+', line: b[j++] as string });
  }
  return edits;
}
