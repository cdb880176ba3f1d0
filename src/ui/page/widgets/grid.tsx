/** A table of any length of which only the rows that are seen exist. Keys move its selection; live changes do not move what is read. */
import { type Signal, signal, useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Column } from './column.ts';
import { GridRow } from './grid-row.tsx';
import { GridHead, type Sorting } from './grid-head.tsx';
import { isNarrow } from './narrow.ts';
import { type Anchor, anchorOf, rowFor, scrolledTo, slotsOf, windowAt } from './window.ts';

/** State that stays when a view is left and entered again. */
export interface GridPlace {
  readonly selected: Signal<string | undefined>;
  scrollTop: number;
}
export const gridPlace = (): GridPlace => ({ selected: signal(undefined), scrollTop: 0 });

export interface GridProps<Row> {
  /** Class, which gives the columns their widths. */
  readonly name: string;
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  readonly place: GridPlace;
  readonly rowHeight: { readonly wide: number; readonly narrow: number };
  readonly sorting?: Sorting;
  readonly open: (row: Row) => void;
  readonly empty: string;
}

const HEAD_HEIGHT = 34;

export function Grid<Row>({ name, label, rows, keyOf, columns, place, rowHeight: heights, sorting, open, empty }: GridProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const scrollTop = useSignal(place.scrollTop);
  const height = useSignal(600);
  const anchor = useRef<Anchor | undefined>(undefined);
  const rowHeight = isNarrow.value ? heights.narrow : heights.wide;
  const head = isNarrow.value ? 0 : HEAD_HEIGHT;
  const shown = useComputed(() => ({ top: scrollTop.value, height: height.value }));
  const { first, end } = windowAt(shown.value.top, shown.value.height, rowHeight, rows.length);
  const slots = slotsOf(shown.value.height, rowHeight);
  const selected = place.selected.value;
  const indexOf = (key: string | undefined): number => (key === undefined ? -1 : rows.findIndex((row) => keyOf(row) === key));

  const remember = (top: number): void => {
    place.scrollTop = top;
    const keys = (index: number) => (rows[index] === undefined ? undefined : keyOf(rows[index]));
    anchor.current = anchorOf(keys, indexOf(place.selected.value), { scrollTop: top, height: height.value, rowHeight });
  };
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () => {
      height.value = element.clientHeight - head;
    };
    measure();
    element.scrollTop = place.scrollTop;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [head]);
  // Rows that came or went above the one that is read scroll the list by as much. A list that became shorter may have scrolled by itself.
  useLayoutEffect(() => {
    const element = scroller.current;
    const before = anchor.current;
    if (!element) return;
    const index = before === undefined ? -1 : indexOf(before.key);
    if (before && index >= 0 && index !== before.index) element.scrollTop = place.scrollTop + (index - before.index) * rowHeight;
    remember(element.scrollTop);
  }, [rows, rowHeight]);

  const select = (index: number): void => {
    const row = rows[index];
    if (row === undefined || !scroller.current) return;
    place.selected.value = keyOf(row);
    scroller.current.scrollTop = scrolledTo(index, scroller.current.scrollTop, height.value, rowHeight);
    remember(scroller.current.scrollTop);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== scroller.current) return;
    const at = indexOf(selected);
    const to = rowFor(event.key, at, rows.length, Math.max(1, Math.floor(height.value / rowHeight) - 1));
    if (to !== undefined) select(to);
    else if (event.key === 'Enter' && rows[at] !== undefined) open(rows[at]);
    else return;
    event.preventDefault();
  };

  return (
    <div
      class={`grid ${name}`}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={indexOf(selected) >= first && indexOf(selected) < end ? rowId(name, selected ?? '') : undefined}
      tabIndex={0}
      ref={scroller}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget }) => {
        scrollTop.value = currentTarget.scrollTop;
        remember(currentTarget.scrollTop);
      }}
    >
      <GridHead columns={columns} sorting={sorting} />
      <div class="grid-body" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, end).map((row, i) => (
          <GridRow
            // A row that leaves the window gives its elements to one that enters it.
            key={(first + i) % slots}
            id={rowId(name, keyOf(row))}
            row={row}
            index={first + i}
            top={(first + i) * rowHeight}
            height={rowHeight}
            columns={columns}
            isSelected={keyOf(row) === selected}
            choose={() => {
              place.selected.value = keyOf(row);
            }}
            open={() => open(row)}
          />
        ))}
      </div>
      {rows.length === 0 ? <p class="empty">{empty}</p> : null}
    </div>
  );
}

const rowId = (name: string, key: string): string => `${name}:${key}`;
