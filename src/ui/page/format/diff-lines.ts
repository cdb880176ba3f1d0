/** Lines of a unified difference, by what they say. */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'place' | 'same';
  readonly text: string;
}

export function diffLines(diff: string): readonly DiffLine[] {
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((text) => ({ kind: kindOf(text), text }));
}

function kindOf(line: string): DiffLine['kind'] {
  if (line.startsWith('@@') || line.startsWith('+++ ') || line.startsWith('--- ')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}
