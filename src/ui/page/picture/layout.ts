/** Where the parts of a picture are drawn: a column for each step on the way from the store to the applications. */
import type { Picture, PicturePart } from '../../wire.ts';
import { byPredecessors, type Card, cardsOf } from './columns.ts';

export const CARD_WIDTH = 192;
const GAP = { across: 42, down: 14 } as const;
/** Above the cards: the names of the columns. */
const HEAD = 30;

export interface PlacedCard extends Card {
  readonly x: number;
  readonly y: number;
  readonly height: number;
}
export interface PlacedLink {
  readonly from: string;
  readonly to: string;
  /** `d` of an SVG path. */
  readonly path: string;
  /** The graver state of its two ends. */
  readonly state: PicturePart['state'];
}
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly columns: readonly { readonly roles: readonly PicturePart['role'][]; readonly x: number }[];
  readonly cards: readonly PlacedCard[];
  readonly links: readonly PlacedLink[];
}

/** @param most cards of a column; further parts are one card, which says how many they are */
export function layout(picture: Picture, most: number): Layout {
  const columns = byPredecessors(cardsOf(picture, most));
  const heights = columns.cards.map((cards) => sum(cards.map(heightOf)) + GAP.down * Math.max(0, cards.length - 1));
  const tallest = Math.max(0, ...heights);
  const placed = columns.cards.flatMap((cards, column) => {
    const x = column * (CARD_WIDTH + GAP.across);
    let y = HEAD + (tallest - (heights[column] ?? 0)) / 2;
    return cards.map((card): PlacedCard => {
      const at = { ...card, x, y, height: heightOf(card) };
      y += at.height + GAP.down;
      return at;
    });
  });
  const byId = new Map(placed.flatMap((card) => card.parts.map(({ id }) => [id, card] as const)));
  return {
    width: Math.max(0, columns.cards.length * (CARD_WIDTH + GAP.across) - GAP.across),
    height: HEAD + tallest,
    columns: columns.roles.map((roles, column) => ({ roles, x: column * (CARD_WIDTH + GAP.across) })),
    cards: placed,
    links: linksBetween(picture, byId),
  };
}

/** Lines of a card: title, detail, and up to three of why it waits. */
function heightOf({ parts: [part, ...others] }: Card): number {
  if (!part || others.length > 0) return 44;
  return 44 + (part.detail === undefined ? 0 : 18) + (part.why === undefined ? 0 : 58);
}

const STATES: readonly PicturePart['state'][] = ['failing', 'waiting', 'unknown', 'well'];

function linksBetween({ links }: Picture, byId: ReadonlyMap<string, PlacedCard>): readonly PlacedLink[] {
  const found = new Map<string, PlacedLink>();
  for (const link of links) {
    const [from, to] = [byId.get(link.from), byId.get(link.to)];
    if (!from || !to || from === to) continue;
    const state = STATES.find((each) => each === from.state || each === to.state) ?? 'well';
    found.set(`${from.id} ${to.id}`, { from: from.id, to: to.id, path: pathOf(from, to), state });
  }
  return [...found.values()];
}

function pathOf(from: PlacedCard, to: PlacedCard): string {
  const [y1, y2] = [middle(from), middle(to)];
  // In one column, such as a master and a worker: around the right side.
  if (from.x === to.x) {
    const x = from.x + CARD_WIDTH;
    return `M${x} ${y1}C${x + 36} ${y1} ${x + 36} ${y2} ${x} ${y2}`;
  }
  const [left, right] = from.x < to.x ? [from, to] : [to, from];
  const [x1, x2] = [left.x + CARD_WIDTH, right.x];
  const bend = (x2 - x1) / 2;
  return `M${x1} ${middle(left)}C${x1 + bend} ${middle(left)} ${x2 - bend} ${middle(right)} ${x2} ${middle(right)}`;
}

const middle = ({ y, height }: PlacedCard): number => Math.round(y + height / 2);
const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
