/** A text without so many of one character as it ends with. `/x+$/` would look from each of them in the middle to the end. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
