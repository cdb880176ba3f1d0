/** A list that may be long, for people: the first five, and how many more. */
export const some = (texts: readonly string[]): string =>
  texts.length > 5 ? `${texts.slice(0, 5).join(', ')} and ${texts.length - 5} more` : texts.join(', ');
