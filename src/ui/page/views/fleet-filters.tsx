import { ALL, type FleetQuery, type Sort, SORTS } from '../state/query.ts';
import { texts } from '../state/settings.ts';
import { Select } from '../widgets/select.tsx';
import { SearchField } from '../widgets/search-field.tsx';

interface FilterProps {
  readonly query: FleetQuery;
  readonly namespaces: readonly string[];
  readonly kinds: readonly string[];
  readonly change: (part: Partial<FleetQuery>) => void;
}

export function FleetFilters({ query, namespaces, kinds, change }: FilterProps) {
  const t = texts.value;
  const isFiltered = query.search !== '' || query.namespace !== '' || query.kind !== '' || query.unwell;
  const titles: Readonly<Record<Sort, string>> = { ...t, cached: t.cached, created: t.age };
  return (
    <search class="filters">
      <SearchField value={query.search} hint={t.searchHint} change={(search) => change({ search })} />
      <Select
        label={t.namespace}
        any={t.anyNamespace}
        values={namespaces}
        value={query.namespace}
        change={(namespace) => change({ namespace })}
      />
      <Select label={t.kind} any={t.anyKind} values={kinds} value={query.kind} change={(kind) => change({ kind })} />
      <button type="button" class="toggle" aria-pressed={query.unwell} onClick={() => change({ unwell: !query.unwell })}>
        {t.onlyUnwell}
      </button>
      {/* Where rows are cards there is no head to sort by. */}
      <span class="narrow-only">
        <Select
          label={t.sortBy}
          values={SORTS}
          value={query.sort}
          titles={titles}
          change={(value) => change({ sort: SORTS.find((sort) => sort === value) ?? ALL.sort, descending: false })}
        />
      </span>
      {isFiltered ? (
        <button type="button" class="quiet" onClick={() => change({ search: '', namespace: '', kind: '', unwell: false })}>
          {t.clear}
        </button>
      ) : null}
    </search>
  );
}
