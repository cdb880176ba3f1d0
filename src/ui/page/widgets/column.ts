import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** Whether the column sorts. */
  readonly sorts?: boolean;
  readonly isFigure?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}
