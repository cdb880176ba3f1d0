const MOST = 5;

/** A list that may be long, as text: its first five items, and how many more. `inWords` is called for these five only. */
export function some<T = string>(items: readonly T[], inWords: (item: T) => string = String): string {
  const first = items
    .slice(0, MOST)
    .map((item) => inWords(item))
    .join(', ');
  return items.length > MOST ? `${first} and ${items.length - MOST} more` : first;
}
