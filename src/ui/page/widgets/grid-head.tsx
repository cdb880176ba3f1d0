import { texts } from '../state/settings.ts';
import { Icon } from './icons.tsx';

export interface Sorting {
  readonly column: string;
  readonly descending: boolean;
  /** The other way round when it is sorted by this column already. */
  readonly by: (column: string) => void;
}

interface HeadProps {
  readonly columns: readonly { readonly id: string; readonly title: string; readonly sorts?: boolean; readonly isFigure?: boolean }[];
  readonly sorting: Sorting | undefined;
}

export function GridHead({ columns, sorting }: HeadProps) {
  const { ascending, descending } = texts.value;
  return (
    <div class="grid-head" role="rowgroup">
      <div class="row" role="row" aria-rowindex={1}>
        {columns.map(({ id, title, sorts, isFigure }) => {
          const isSorted = sorting?.column === id;
          const order = sorting?.descending ? 'descending' : 'ascending';
          return (
            <div
              key={id}
              role="columnheader"
              class={`cell cell-${id}${isFigure ? ' figure' : ''}`}
              aria-sort={isSorted ? order : undefined}
            >
              {sorts && sorting ? (
                <button
                  type="button"
                  class="sort"
                  onClick={() => sorting.by(id)}
                  title={isSorted ? (sorting.descending ? descending : ascending) : undefined}
                >
                  {title}
                  {isSorted ? <Icon name={sorting.descending ? 'down' : 'up'} /> : null}
                </button>
              ) : (
                title
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
