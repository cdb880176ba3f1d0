import { bytes, count, percent, ratioOf } from '../format/figures.ts';
import type { Sums } from '../state/sums.ts';
import { texts } from '../state/settings.ts';
import { Bar } from '../widgets/bar.tsx';
import { StateIcon } from '../widgets/icons.tsx';

export function SumTiles({ sums, all }: { readonly sums: Sums; readonly all: number }) {
  const t = texts.value;
  const ratio = ratioOf(sums.cached, sums.capacity);
  return (
    <dl class="sums" aria-label={t.sums}>
      <div>
        <dt>{t.datasets}</dt>
        <dd>
          {count(sums.datasets)}
          {sums.datasets === all ? null : <small> {t.ofAll(count(all))}</small>}
        </dd>
      </div>
      <div class={sums.unwell > 0 ? 'sum-unwell' : ''}>
        <dt>{t.unwell}</dt>
        <dd>
          <StateIcon state={sums.unwell > 0 ? 'warning' : 'well'} /> {count(sums.unwell)}
          {sums.unwell > 0 && sums.datasets > 0 ? <small> {percent(sums.unwell / sums.datasets)}</small> : null}
        </dd>
      </div>
      <div>
        <dt>{t.cached}</dt>
        <dd>
          {bytes(sums.cached)}
          {sums.data > 0 ? (
            <small>
              {' '}
              / {t.data} {bytes(sums.data)}
            </small>
          ) : null}
        </dd>
      </div>
      <div>
        <dt>{t.capacity}</dt>
        <dd>
          {bytes(sums.capacity)}
          {ratio === undefined ? null : <Bar ratio={ratio} label={t.cached} />}
        </dd>
      </div>
    </dl>
  );
}
