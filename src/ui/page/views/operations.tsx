/** Operations: what runs and how far it is, what waits for what, and schedules. */
import { computed } from '@preact/signals';
import { operationKey } from '../state/fleet.ts';
import { ordered, type OrderedOperation } from '../state/operations.ts';
import { go, place, replace } from '../state/place.ts';
import { operations } from '../state/session.ts';
import { texts } from '../state/settings.ts';
import { Grid, gridPlace } from '../widgets/grid.tsx';
import { SearchField } from '../widgets/search-field.tsx';
import { operationColumns } from './operation-columns.tsx';

const search = computed(() => (place.value.view === 'operations' ? place.value.search : ''));
const rows = computed(() => ordered(operations.value, search.value));
const columns = computed(() => operationColumns(texts.value));
const kept = gridPlace();

export function OperationsView() {
  const t = texts.value;
  return (
    <>
      <h1 class="unseen-label">{t.operations}</h1>
      <search class="filters">
        <SearchField value={search.value} hint={t.searchHint} change={(text) => replace({ view: 'operations', search: text })} />
      </search>
      <Grid
        name="operations"
        label={t.operations}
        rows={rows.value}
        keyOf={({ row }: OrderedOperation) => operationKey(row)}
        columns={columns.value}
        place={kept}
        rowHeight={{ wide: 38, narrow: 92 }}
        open={({ row }) => openFirst(row.datasets)}
        empty={operations.value.length === 0 ? t.noOperations : t.noneFound}
      />
      <p class="keys">{t.keys}</p>
    </>
  );
}

function openFirst([dataset]: readonly string[]): void {
  const [namespace, name] = dataset?.split('/') ?? [];
  if (namespace && name) go({ view: 'dataset', namespace, name, tab: 'picture' });
}
