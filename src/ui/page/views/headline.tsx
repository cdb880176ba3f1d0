import type { ComponentChildren } from 'preact';
import type { DatasetRow } from '../../wire.ts';
import { bytes, count, percent, ratioOf } from '../format/figures.ts';
import { texts } from '../state/settings.ts';
import { Bar } from '../widgets/bar.tsx';
import { StateIcon } from '../widgets/icons.tsx';
import { Age, Nothing, Shown } from '../widgets/shown.tsx';
import { markOf } from './fleet-columns.tsx';

export function Headline({ row }: { readonly row: DatasetRow }) {
  const t = texts.value;
  const ratio = ratioOf(row.cached, row.capacity);
  return (
    <header class="headline">
      <h1>
        <StateIcon state={markOf(row)} label={row.healthy ? t.well : t.unwell} />
        <Shown text={row.name} />
        <span class={`pill state-${markOf(row)}`}>{row.phase === '' ? t.noPhase : <Shown text={row.phase} />}</span>
        {row.kind === '' ? null : (
          <span class="pill">
            <Shown text={row.kind} />
          </span>
        )}
      </h1>
      <dl class="facts">
        <Fact title={t.cached}>
          {row.cached === undefined ? <Nothing /> : bytes(row.cached)}
          {row.capacity === undefined ? null : <small> / {bytes(row.capacity)}</small>}
          {ratio === undefined ? null : <Bar ratio={ratio} label={t.cached} />}
        </Fact>
        <Fact title={t.hitRatio}>{row.hits === undefined ? <Nothing /> : percent(row.hits)}</Fact>
        <Fact title={t.data}>{row.data === undefined ? <Nothing /> : bytes(row.data)}</Fact>
        <Fact title={t.files}>{row.files === undefined ? <Nothing /> : count(row.files)}</Fact>
        <Fact title={t.age}>
          <Age at={row.created} />
        </Fact>
      </dl>
    </header>
  );
}

const Fact = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);
