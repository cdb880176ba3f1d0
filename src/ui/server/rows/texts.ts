/** Milliseconds since 1970 of a time in RFC 3339. */
export function timeOf(time: string | null | undefined): number | undefined {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** At most so many characters of a text, of which an object has as many as its user likes. */
export const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
