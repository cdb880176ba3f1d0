import { useMemo } from 'preact/hooks';
import { now } from '../state/clock.ts';
import { texts } from '../state/settings.ts';
import type { Column } from './column.ts';

interface RowProps<Row> {
  readonly id: string;
  readonly row: Row;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly columns: readonly Column<Row>[];
  readonly isSelected: boolean;
  readonly choose: () => void;
  readonly open: () => void;
}

/** Drawn again only when what it shows changed: while someone scrolls, most rows are as they were. */
export function GridRow<Row>({ id, row, index, top, height, columns, isSelected, choose, open }: RowProps<Row>) {
  // Read here, so that the row is drawn again when they change.
  const [at, language] = [now.value, texts.value];
  return useMemo(
    () => (
      <div
        class={isSelected ? 'row selected' : 'row'}
        role="row"
        id={id}
        aria-rowindex={index + 2}
        aria-selected={isSelected}
        style={{ transform: `translateY(${top}px)`, height: `${height}px` }}
        onClick={(event) => {
          choose();
          // A link in the row goes where it leads, and a text that is being selected is not a click.
          if (event.target instanceof Element && event.target.closest('a')) return;
          if (String(getSelection()) === '') open();
        }}
      >
        {columns.map((column) => (
          <div key={column.id} role="gridcell" class={`cell cell-${column.id}${column.isFigure ? ' figure' : ''}`}>
            {column.cell(row)}
          </div>
        ))}
      </div>
    ),
    [row, index, top, height, columns, isSelected, at, language],
  );
}
