import { expect, test } from 'vitest';
import { countOf } from '../../../src/ui/page/picture/columns.ts';
import { CARD_WIDTH, layout } from '../../../src/ui/page/picture/layout.ts';
import type { Picture, PicturePart } from '../../../src/ui/wire.ts';
import { fleetOf, viewOf } from './fixture.ts';

const part = (id: string, role: PicturePart['role'], state: PicturePart['state'] = 'well'): PicturePart => ({ id, role, title: id, state });
const now = 1_000_000_000_000;
const { datasets } = fleetOf(300, now);
const pictures = datasets.slice(0, 5).map((row) => viewOf(row, now).picture);

test('columns follow the data from the store to the applications, and empty ones are left out', () => {
  const { columns } = layout({ parts: [part('a', 'application'), part('s', 'store'), part('f', 'fuse')], links: [] }, 8);
  expect(columns.map(({ roles }) => roles)).toEqual([['store'], ['fuse'], ['application']]);
});

test.each(pictures.map((picture, i) => [i, picture] as const))(
  'no two cards of picture %i overlap, and none leaves the picture',
  (_, picture) => {
    for (const most of [3, 8, 1000]) {
      const { cards, width, height } = layout(picture, most);
      for (const [i, a] of cards.entries()) {
        expect(a.x + CARD_WIDTH).toBeLessThanOrEqual(width);
        expect(a.y + a.height).toBeLessThanOrEqual(height);
        for (const b of cards.slice(i + 1))
          expect(a.x !== b.x || a.y + a.height <= b.y || b.y + b.height <= a.y, `${a.id} and ${b.id}`).toBe(true);
      }
    }
  },
);

test('of a long column the gravest parts stay cards of their own, and the rest is counted', () => {
  const parts = [
    ...Array.from({ length: 50 }, (_, i) => part(`w${i}`, 'worker')),
    part('bad', 'worker', 'failing'),
    { ...part('many', 'worker'), more: 9 },
  ];
  const { cards } = layout({ parts, links: [] }, 8);
  expect(cards).toHaveLength(8);
  expect(cards.map(({ id }) => id)).toContain('bad');
  expect(cards.reduce((all, card) => all + countOf(card), 0)).toBe(61);
  expect(cards.at(-1)?.parts.length).toBe(45);
});

test('links lead to the card that a folded part is in, once, and with the graver state of both ends', () => {
  const parts = [part('s', 'store'), ...Array.from({ length: 10 }, (_, i) => part(`w${i}`, 'worker', i === 0 ? 'failing' : 'well'))];
  const picture: Picture = { parts, links: parts.slice(1).map(({ id }) => ({ from: 's', to: id })) };
  const { links, cards } = layout(picture, 4);
  expect(links).toHaveLength(4);
  expect(links.find(({ to }) => to === 'w0')?.state).toBe('failing');
  expect(links.filter(({ to }) => to === cards.at(-1)?.id)).toHaveLength(1);
  expect(layout({ parts: [], links: [{ from: 'x', to: 'y' }] }, 8)).toMatchObject({ width: 0, cards: [], links: [] });
});

test('cards stand near those before them, so that parallel chains do not cross', () => {
  const ids = [0, 1, 2, 3];
  const picture: Picture = {
    parts: [...ids.map((i) => part(`n${i}`, 'node')), ...ids.toReversed().map((i) => part(`f${i}`, 'fuse'))],
    links: ids.map((i) => ({ from: `n${i}`, to: `f${i}` })),
  };
  const { cards } = layout(picture, 8);
  const order = (letter: string) =>
    cards
      .filter(({ id }) => id.startsWith(letter))
      .toSorted((a, b) => a.y - b.y)
      .map(({ id }) => id.slice(1));
  expect(order('f')).toEqual(order('n'));
});
