import { expect, test } from 'vitest';
import { anchorOf, rowFor, scrolledTo, slotsOf, windowAt } from '../../../src/ui/page/widgets/window.ts';

test('some twenty rows of 20,000 are drawn, wherever the list is scrolled to', () => {
  expect(windowAt(0, 600, 38, 20_000)).toEqual({ first: 0, end: 20 });
  expect(windowAt(380_000, 600, 38, 20_000)).toEqual({ first: 9996, end: 10_020 });
  expect(windowAt(759_400, 600, 38, 20_000)).toEqual({ first: 19_980, end: 20_000 });
  expect(windowAt(759_400, 600, 38, 3)).toEqual({ first: 3, end: 3 });
});

test('no two rows of a window share a slot, so that none takes the elements of another that is seen', () => {
  for (let top = 0; top < 2000; top += 7) {
    const { first, end } = windowAt(top, 605, 38, 20_000);
    expect(end - first).toBeLessThanOrEqual(slotsOf(605, 38));
  }
});

test('the selected row stays in its place while it is seen, else the first one that is seen', () => {
  const keys = (index: number) => `row ${index}`;
  const at = { scrollTop: 380, height: 380, rowHeight: 38 };
  expect(anchorOf(keys, 12, at)).toEqual({ key: 'row 12', index: 12 });
  expect(anchorOf(keys, 300, at)).toEqual({ key: 'row 10', index: 10 });
  expect(anchorOf(keys, -1, at)).toEqual({ key: 'row 10', index: 10 });
});

test('at the top nothing is held, so that a row which comes first is seen', () => {
  expect(anchorOf(() => 'row', -1, { scrollTop: 0, height: 380, rowHeight: 38 })).toBeUndefined();
});

test('keys lead from row to row, and no further than the ends', () => {
  const to = (key: string, index: number) => rowFor(key, index, 100, 10);
  expect([to('ArrowDown', -1), to('ArrowDown', 4), to('ArrowDown', 99)]).toEqual([0, 5, 99]);
  expect([to('ArrowUp', 4), to('ArrowUp', 0), to('ArrowUp', -1)]).toEqual([3, 0, 0]);
  expect([to('PageDown', 95), to('PageUp', 5), to('Home', 50), to('End', 50)]).toEqual([99, 0, 0, 99]);
  expect([to('a', 4), rowFor('ArrowDown', -1, 0, 10)]).toEqual([undefined, undefined]);
});

test('the list scrolls no further than a row that is chosen needs', () => {
  expect(scrolledTo(5, 0, 380, 38)).toBe(0);
  expect(scrolledTo(10, 0, 380, 38)).toBe(38);
  expect(scrolledTo(3, 380, 380, 38)).toBe(114);
});
