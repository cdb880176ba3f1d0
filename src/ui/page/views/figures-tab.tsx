import type { Sample } from '../../wire.ts';
import { age, bytes, percent } from '../format/figures.ts';
import { now } from '../state/clock.ts';
import { texts } from '../state/settings.ts';
import { Chart, type Series } from '../widgets/chart.tsx';

/** Capacity and hits over time, as the server has seen them since it began to watch. */
export function FiguresTab({ samples }: { readonly samples: readonly Sample[] }) {
  const t = texts.value;
  const last = samples.at(-1);
  if (!last) return <p class="empty">{t.noSamples}</p>;
  const cache: readonly Series[] = [
    { title: t.capacity, colour: 'muted', values: samples.map(({ capacity }) => capacity) },
    { title: t.cached, colour: 'accent', isFilled: true, values: samples.map(({ cached }) => cached) },
  ];
  const hits: readonly Series[] = [{ title: t.hitRatio, colour: 'accent', isFilled: true, values: samples.map((sample) => sample.hits) }];
  const ago = age(last.at, now.value);
  const times = samples.map(({ at }) => at);
  return (
    <div class="figures">
      <figure>
        <figcaption>
          <b>{t.cacheOverTime}</b> {t.latest(`${figure(last.cached, bytes)} / ${figure(last.capacity, bytes)}`, ago)}
        </figcaption>
        <Chart label={t.cacheOverTime} times={times} series={cache} format={bytes} base={1024} />
      </figure>
      <figure>
        <figcaption>
          <b>{t.hitsOverTime}</b> {t.latest(figure(last.hits, percent), ago)}
        </figcaption>
        <Chart label={t.hitsOverTime} times={times} series={hits} format={percent} most={1} />
      </figure>
    </div>
  );
}

const figure = (value: number | undefined, format: (value: number) => string): string => (value === undefined ? '–' : format(value));
