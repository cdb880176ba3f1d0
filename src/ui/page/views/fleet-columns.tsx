import type { DatasetRow } from '../../wire.ts';
import { bytes, percent, ratioOf } from '../format/figures.ts';
import { datasetKey } from '../state/fleet.ts';
import type { Texts } from '../texts/en.ts';
import { Bar } from '../widgets/bar.tsx';
import { DatasetLink } from '../widgets/dataset-link.tsx';
import type { Column } from '../widgets/column.ts';
import { type Mark, StateIcon } from '../widgets/icons.tsx';
import { Age, Nothing, Shown, titleOf } from '../widgets/shown.tsx';

export const markOf = ({ phase, healthy, trouble }: Pick<DatasetRow, 'phase' | 'healthy' | 'trouble'>): Mark =>
  phase === 'Failed' ? 'failing' : healthy ? 'well' : trouble ? 'warning' : phase === '' ? 'unknown' : 'waiting';

export const columnsOf = (t: Texts): readonly Column<DatasetRow>[] => [
  { id: 'phase', title: t.phase, sorts: true, cell: (row) => <Phase row={row} t={t} /> },
  { id: 'name', title: t.name, sorts: true, cell: (row) => <Name row={row} /> },
  { id: 'namespace', title: t.namespace, sorts: true, cell: ({ namespace }) => <Cut text={namespace} /> },
  {
    id: 'kind',
    title: t.kind,
    sorts: true,
    cell: ({ kind }) => (kind === '' ? <Nothing label={t.noRuntime} /> : <Cut text={kind.replace(/Runtime$/, '')} title={kind} />),
  },
  { id: 'cached', title: t.cached, sorts: true, cell: (row) => <Cache row={row} t={t} /> },
  { id: 'hits', title: t.hits, sorts: true, isFigure: true, cell: ({ hits }) => (hits === undefined ? <Nothing /> : percent(hits)) },
  { id: 'data', title: t.data, sorts: true, isFigure: true, cell: ({ data }) => (data === undefined ? <Nothing /> : bytes(data)) },
  { id: 'trouble', title: t.trouble, sorts: true, cell: (row) => <Troubled row={row} t={t} /> },
  { id: 'created', title: t.age, sorts: true, isFigure: true, cell: ({ created }) => <Age at={created} /> },
];

const Cut = ({ text, title = text }: { readonly text: string; readonly title?: string }) => (
  <span class="cut" title={titleOf(title)}>
    <Shown text={text} />
  </span>
);

const Phase = ({ row, t }: { readonly row: DatasetRow; readonly t: Texts }) => (
  <span class="phase">
    <StateIcon state={markOf(row)} label={row.healthy ? t.well : t.unwell} />
    {row.phase === '' ? <Nothing label={t.noPhase} /> : <Shown text={row.phase} />}
  </span>
);

const Name = ({ row }: { readonly row: DatasetRow }) => (
  <span class="cut" title={titleOf(row.name)}>
    <DatasetLink dataset={datasetKey(row)} text={row.name} inGrid />
  </span>
);

function Cache({ row, t }: { readonly row: DatasetRow; readonly t: Texts }) {
  const ratio = ratioOf(row.cached, row.capacity);
  if (ratio === undefined || row.cached === undefined || row.capacity === undefined) return <Nothing />;
  return (
    <span class="cache" title={`${bytes(row.cached)} / ${bytes(row.capacity)}`}>
      <Bar ratio={ratio} label={t.cached} />
    </span>
  );
}

function Troubled({ row: { trouble, healthy }, t }: { readonly row: DatasetRow; readonly t: Texts }) {
  if (!trouble) return healthy ? null : <span class="nothing">{t.notReady}</span>;
  return (
    <span class="cut" title={titleOf(trouble.reason, trouble.message)}>
      {trouble.since === undefined ? null : (
        <span class="trouble-age">
          <Age at={trouble.since} />{' '}
        </span>
      )}
      <b>
        <Shown text={trouble.reason} />
      </b>{' '}
      <span class="trouble-message">
        <Shown text={trouble.message} />
      </span>
    </span>
  );
}
