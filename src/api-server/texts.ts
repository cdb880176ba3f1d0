import { createRecent } from './recent.ts';

const MOST_CHARACTERS = 16 << 20;
const texts = createRecent<object, string>(MOST_CHARACTERS, ({ length }) => length);

/** As JSON: one text for the answer, the history and every watch. What the server has stored never changes. */
export function textOf(stored: object): string {
  const known = texts.get(stored);
  if (known !== undefined) return known;
  const text = JSON.stringify(stored);
  texts.set(stored, text);
  return text;
}

/** A list as JSON. */
export const textOfList = (list: object, items: readonly object[]): string =>
  `${JSON.stringify(list).slice(0, -1)},"items":[${items.map(textOf).join(',')}]}`;
