import type { NodePod, NodeView } from '../../wire.ts';
import type { Texts } from '../texts/en.ts';
import { DatasetLink } from '../widgets/dataset-link.tsx';
import type { Column } from '../widgets/column.ts';
import { StateIcon } from '../widgets/icons.tsx';
import { Nothing, Shown, titleOf } from '../widgets/shown.tsx';

export const nodeColumns = (t: Texts): readonly Column<NodeView>[] => [
  { id: 'state', title: t.state, cell: (node) => <NodeState node={node} t={t} /> },
  { id: 'name', title: t.node, cell: ({ name }) => <Cut text={name} /> },
  { id: 'plugin', title: t.plugin, cell: ({ plugin }) => <Plugin plugin={plugin} t={t} /> },
  { id: 'caches', title: t.caches, cell: ({ caches }) => <Pods pods={caches} t={t} /> },
  { id: 'clients', title: t.clients, cell: ({ clients }) => <Pods pods={clients} t={t} /> },
];

const Cut = ({ text }: { readonly text: string }) => (
  <span class="cut" title={titleOf(text)}>
    <Shown text={text} />
  </span>
);

export const NodeState = ({ node: { ready, cordoned }, t }: { readonly node: NodeView; readonly t: Texts }) => (
  <span class="phase">
    <StateIcon state={ready === undefined ? 'unknown' : !ready ? 'failing' : cordoned ? 'warning' : 'well'} />
    {ready === undefined ? t.unknown : !ready ? t.notReadyNode : cordoned ? t.cordoned : t.ready}
  </span>
);

function Plugin({ plugin, t }: { readonly plugin: boolean | undefined; readonly t: Texts }) {
  if (plugin === undefined) return <Nothing />;
  return plugin ? (
    <span>{t.pluginThere}</span>
  ) : (
    <span class="phase">
      <StateIcon state="warning" /> {t.pluginMissing}
    </span>
  );
}

/** How many, and of which Datasets as far as there is room. */
function Pods({ pods, t }: { readonly pods: readonly NodePod[]; readonly t: Texts }) {
  if (pods.length === 0) return <Nothing label={t.none} />;
  const down = pods.some(({ ready }) => !ready);
  const names = [...new Set(pods.map(({ dataset }) => dataset))];
  return (
    <span class="cut" title={titleOf(names.join(', '))}>
      {down ? <StateIcon state="waiting" label={t.notReady} /> : null} <b>{pods.length}</b>{' '}
      {names.slice(0, 4).map((dataset, i) => (
        <>
          {i > 0 ? ', ' : ''}
          <DatasetLink dataset={dataset} inGrid />
        </>
      ))}
      {names.length > 4 ? ` ${t.more(names.length - 4)}` : ''}
    </span>
  );
}
