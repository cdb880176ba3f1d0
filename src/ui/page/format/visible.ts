/** Texts of tenants may hold characters that nobody sees but that change how others are read: each is shown by its code point. */

export interface Piece {
  readonly text: string;
  /** Whether `text` is the name of a character that is not visible, such as `U+202E`. */
  readonly unseen: boolean;
}

/** Controls, marks of direction, zero-width characters and the like, but for line feeds, tabs and the selectors of emoji. */
const UNSEEN = /(?!\n|\t|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** The text in order; line feeds and tabs stay as they are. Almost always a single piece. */
export function pieces(text: string): readonly Piece[] {
  if (!UNSEEN.test(text)) return [{ text, unseen: false }];
  const found: Piece[] = [];
  let plain = '';
  for (const character of text) {
    if (!UNSEEN.test(character)) {
      plain += character;
      continue;
    }
    if (plain !== '') found.push({ text: plain, unseen: false });
    plain = '';
    found.push({ text: codePoint(character), unseen: true });
  }
  return plain === '' ? found : [...found, { text: plain, unseen: false }];
}

/** For attributes, such as titles and labels, where no element can mark a piece. */
export const visible = (text: string): string =>
  pieces(text)
    .map((piece) => (piece.unseen ? `⟨${piece.text}⟩` : piece.text))
    .join('');

const codePoint = (character: string): string => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
