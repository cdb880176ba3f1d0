/** Which rows of a long list are drawn, and how the list scrolls when rows come and go above those that are read. */

export interface RowWindow {
  readonly first: number;
  /** One past the last. */
  readonly end: number;
}

/** Rows drawn beyond both edges, so that a key or a wheel shows no gap. */
const BEYOND = 4;

export function windowAt(scrollTop: number, height: number, rowHeight: number, count: number): RowWindow {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - BEYOND);
  return { first: Math.min(first, count), end: Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + BEYOND) };
}

/** How many rows a window has at most. */
export const slotsOf = (height: number, rowHeight: number): number => Math.ceil(height / rowHeight) + 1 + 2 * BEYOND;

/** The row that stays where it is on the screen when the list changes. */
export interface Anchor {
  readonly key: string;
  readonly index: number;
}

/** The selected row while it is seen, else the first that is; none at the top of the list, where what is new is to be seen. */
export function anchorOf(
  keys: (index: number) => string | undefined,
  selected: number,
  { scrollTop, height, rowHeight }: { readonly scrollTop: number; readonly height: number; readonly rowHeight: number },
): Anchor | undefined {
  const isSeen =
    selected >= 0 && selected * rowHeight >= scrollTop - rowHeight / 2 && (selected + 1) * rowHeight <= scrollTop + height + rowHeight / 2;
  if (!isSeen && scrollTop < rowHeight) return undefined;
  const index = isSeen ? selected : Math.ceil(scrollTop / rowHeight);
  const key = keys(index);
  return key === undefined ? undefined : { key, index };
}

/** Where to scroll so that this row is seen whole, and no further than needed. */
export function scrolledTo(index: number, scrollTop: number, height: number, rowHeight: number): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  return Math.max(scrollTop, top + rowHeight - height);
}

/** The row that a key leads to; undefined for keys that lead to none. `-1` is no row. */
export function rowFor(key: string, index: number, count: number, page: number): number | undefined {
  if (count === 0) return undefined;
  const last = count - 1;
  const within = (to: number): number => Math.min(last, Math.max(0, to));
  switch (key) {
    case 'ArrowDown':
      return within(index + 1);
    case 'ArrowUp':
      return within(index - 1);
    case 'PageDown':
      return within(index + page);
    case 'PageUp':
      return within(index - page);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
