/** The parts of a picture in columns, and within a column in an order in which few links cross. */
import type { Picture, PicturePart } from '../../wire.ts';

/** A part, or several of a column that is long. */
export interface Card {
  readonly id: string;
  readonly parts: readonly PicturePart[];
  /** The gravest of its parts. */
  readonly state: PicturePart['state'];
}
export interface Columns {
  readonly roles: readonly (readonly PicturePart['role'][])[];
  readonly cards: readonly (readonly Card[])[];
  readonly links: Picture['links'];
}

type Role = PicturePart['role'];
const COLUMNS: readonly (readonly Role[])[] = [['store'], ['master', 'worker'], ['node'], ['fuse'], ['application']];
const GRAVITY: readonly PicturePart['state'][] = ['failing', 'waiting', 'unknown', 'well'];

/** Columns without parts are left out. Of a column that is too long, the gravest stay cards of their own. */
export function cardsOf({ parts, links }: Picture, most: number): Columns {
  const filled = COLUMNS.map((roles) => ({
    roles: roles.filter((role) => parts.some((part) => part.role === role)),
    parts: roles.flatMap((role) => parts.filter((part) => part.role === role)),
  })).filter((column) => column.parts.length > 0);
  return { roles: filled.map(({ roles }) => roles), cards: filled.map((column) => folded(column.parts, most)), links };
}

function folded(parts: readonly PicturePart[], most: number): readonly Card[] {
  const single = (part: PicturePart): Card => ({ id: part.id, parts: [part], state: part.state });
  if (parts.length <= most) return parts.map(single);
  const graver = parts.toSorted((a, b) => GRAVITY.indexOf(a.state) - GRAVITY.indexOf(b.state));
  const kept = new Set(graver.slice(0, most - 1));
  const rest = graver.slice(most - 1);
  return [
    ...parts.filter((part) => kept.has(part)).map(single),
    { id: `rest ${rest[0]?.id}`, parts: rest, state: GRAVITY.find((state) => rest.some((part) => part.state === state)) ?? 'unknown' },
  ];
}

/** How many objects the card stands for: a part may stand for more than itself. */
export const countOf = ({ parts }: Card): number => parts.reduce((all, { more = 0 }) => all + 1 + more, 0);

/** Each card near those of the columns before it that it is linked with; roles of a column stay together, and what is folded stays last. */
export function byPredecessors(columns: Columns): Columns {
  const place = new Map<string, number>();
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of columns.links) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  const cards = columns.cards.map((column, i) => {
    const weight = new Map(column.map((card, index) => [card, mean(card, neighbours, place) ?? index / column.length]));
    const rank = (card: Card): number => (card.parts.length > 1 ? 9 : (columns.roles[i] ?? []).indexOf(card.parts[0]?.role ?? 'store'));
    const sorted = column.toSorted((a, b) => rank(a) - rank(b) || (weight.get(a) ?? 0) - (weight.get(b) ?? 0));
    sorted.forEach((card, index) => {
      for (const { id } of card.parts) place.set(id, (index + 0.5) / sorted.length);
    });
    return sorted;
  });
  return { ...columns, cards };
}

function mean(card: Card, neighbours: ReadonlyMap<string, readonly string[]>, place: ReadonlyMap<string, number>): number | undefined {
  const places = card.parts.flatMap(({ id }) => neighbours.get(id) ?? []).flatMap((id) => place.get(id) ?? []);
  return places.length === 0 ? undefined : places.reduce((all, each) => all + each, 0) / places.length;
}
