/** Nodes: which caches and which clients are on each. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { NodeView } from '../../wire.ts';
import { go, replace } from '../state/place.ts';
import { fetchNodes } from '../state/requests.ts';
import { texts } from '../state/settings.ts';
import { Grid, gridPlace } from '../widgets/grid.tsx';
import { SearchField } from '../widgets/search-field.tsx';
import { nodeColumns } from './node-columns.tsx';
import { NodePanel } from './node-panel.tsx';

const kept = gridPlace();
/** Nodes and what is on them change seldom, and no change announces them. */
const REFRESH_MS = 5000;

export function NodesView({ search, node }: { readonly search: string; readonly node: string | undefined }) {
  const t = texts.value;
  const nodes = useSignal<readonly NodeView[] | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      const found = await fetchNodes().catch(() => undefined);
      if (isOver) return;
      nodes.value = found ?? nodes.value ?? [];
      timer = setTimeout(() => void read(), REFRESH_MS);
    };
    void read();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  const rows = useMemo(() => (nodes.value ?? []).filter(isFound(search)), [nodes.value, search]);
  const columns = useMemo(() => nodeColumns(t), [t]);
  const opened = node === undefined ? undefined : nodes.value?.find(({ name }) => name === node);
  return (
    <>
      <h1 class="unseen-label">{t.nodes}</h1>
      <search class="filters">
        <SearchField
          value={search}
          hint={t.searchHint}
          change={(text) => replace({ view: 'nodes', search: text, ...(node === undefined ? {} : { node }) })}
        />
      </search>
      <div class={opened ? 'with-panel' : 'without-panel'}>
        <Grid
          name="nodes"
          label={t.nodes}
          rows={rows}
          keyOf={({ name }: NodeView) => name}
          columns={columns}
          place={kept}
          rowHeight={{ wide: 38, narrow: 92 }}
          open={({ name }) => go({ view: 'nodes', search, node: name })}
          empty={nodes.value === undefined ? t.loading : nodes.value.length === 0 ? t.noNodes : t.noneFound}
        />
        {opened ? <NodePanel node={opened} close={() => go({ view: 'nodes', search })} /> : null}
      </div>
      <p class="keys">{t.keys}</p>
    </>
  );
}

function isFound(search: string): (node: NodeView) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ name, caches, clients }) => {
    const text = [name, ...[...caches, ...clients].map(({ dataset }) => dataset)].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
