/** All Datasets: what is not well first, filtered as one types. */
import { computed } from '@preact/signals';
import { sumsOf, valuesOf } from '../state/sums.ts';
import { datasetKey } from '../state/fleet.ts';
import { go, place, replace } from '../state/place.ts';
import { ALL, type FleetQuery, select, type Sort } from '../state/query.ts';
import { datasets } from '../state/session.ts';
import { texts } from '../state/settings.ts';
import { Grid, gridPlace } from '../widgets/grid.tsx';
import { columnsOf } from './fleet-columns.tsx';
import { FleetFilters } from './fleet-filters.tsx';
import { SumTiles } from './sum-tiles.tsx';

const query = computed((): FleetQuery => (place.value.view === 'fleet' ? place.value.query : ALL));
const rows = computed(() => select(datasets.value, query.value));
const sums = computed(() => sumsOf(rows.value));
const namespaces = computed(() => valuesOf(datasets.value, ({ namespace }) => namespace));
const kinds = computed(() => valuesOf(datasets.value, ({ kind }) => kind));
const columns = computed(() => columnsOf(texts.value));
const kept = gridPlace();

/** Figures and times are of interest from the largest down. */
const LARGEST_FIRST: readonly Sort[] = ['hits', 'cached', 'data', 'created'];

export function FleetView() {
  const t = texts.value;
  const change = (part: Partial<FleetQuery>): void => replace({ view: 'fleet', query: { ...query.value, ...part } });
  const sorting = {
    column: query.value.sort,
    descending: query.value.descending,
    by: (column: string) => {
      const sort = column as Sort;
      change(query.value.sort === sort ? { descending: !query.value.descending } : { sort, descending: LARGEST_FIRST.includes(sort) });
    },
  };
  return (
    <>
      <h1 class="unseen-label">{t.datasets}</h1>
      <SumTiles sums={sums.value} all={datasets.value.length} />
      <FleetFilters query={query.value} namespaces={namespaces.value} kinds={kinds.value} change={change} />
      <Grid
        name="fleet"
        label={t.datasets}
        rows={rows.value}
        keyOf={datasetKey}
        columns={columns.value}
        place={kept}
        rowHeight={{ wide: 38, narrow: 92 }}
        sorting={sorting}
        open={({ namespace, name }) => go({ view: 'dataset', namespace, name, tab: 'picture' })}
        empty={datasets.value.length === 0 ? t.noDatasets : t.noneFound}
      />
      <p class="keys">{t.keys}</p>
    </>
  );
}
