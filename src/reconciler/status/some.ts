const MOST = 5;

/** A list that may be long, for people: the first five, and how many more. What is not told is not put into words. */
export function some<T = string>(items: readonly T[], inWords: (item: T) => string = String): string {
  const told = items
    .slice(0, MOST)
    .map((item) => inWords(item))
    .join(', ');
  return items.length > MOST ? `${told} and ${items.length - MOST} more` : told;
}
