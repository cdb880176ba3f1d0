import { printable } from './text.ts';

/** Sluice has fewer reasons, but a client that may write statuses could invent more, and each is a series. */
const MOST_SERIES = 100;

interface Entry {
  readonly kind: string;
  readonly what: string;
  count: number;
  /** The largest of the values that were given. */
  most: number;
}

/** Counts objects by kind and a word of their status. */
export function createTally() {
  const series = new Map<string, Entry>();
  return {
    add(kind: string, text: string, value = 0): void {
      const word = printable(text);
      const what = series.has(`${kind}/${word}`) || series.size < MOST_SERIES ? word : 'Other';
      const entry = series.get(`${kind}/${what}`) ?? { kind, what, count: 0, most: 0 };
      entry.count++;
      entry.most = Math.max(entry.most, value);
      series.set(`${kind}/${what}`, entry);
    },
    entries: (): readonly Readonly<Entry>[] => [...series.values()],
  };
}
