import type { Sample } from '../../wire.ts';

/** Capacity and hits over time: of each Dataset so many samples as memory allows for all of them. */
export interface Samples {
  /** @param at milliseconds since 1970 */
  add(key: string, at: number, figures: Figures): void;
  forget(key: string): void;
  /** The oldest first. */
  of(key: string): readonly Sample[];
}
type Figures = Pick<Sample, 'cached' | 'capacity' | 'hits'>;

/** Most samples of one Dataset, and of all of them together: each is four numbers of four bytes. */
const MOST = 240;
const MOST_OF_ALL = 1_500_000;
const FEWEST = 16;
/** The controller probes once a minute; a status that changes more often has one sample a probe. */
const APART_S = 30;
const FIELDS = 4;

interface Series {
  /** Time in seconds since `began`, cached, capacity, hits; NaN for what is not known. */
  values: Float32Array;
  length: number;
}

export function createSamples(): Samples {
  const all = new Map<string, Series>();
  let began: number | undefined;
  const most = (): number => Math.max(FEWEST, Math.min(MOST, Math.floor(MOST_OF_ALL / Math.max(1, all.size))));

  return {
    add(key, at, { cached, capacity, hits }) {
      if (cached === undefined && capacity === undefined && hits === undefined) return;
      began ??= at;
      const seconds = Math.max(0, (at - began) / 1000);
      const series = all.get(key) ?? { values: new Float32Array(2 * FIELDS), length: 0 };
      all.set(key, series);
      const last = (series.length - 1) * FIELDS;
      const isSoon = series.length > 0 && seconds - (series.values[last] as number) < APART_S;
      if (!isSoon) makeRoom(series, most());
      const place = isSoon ? last : series.length++ * FIELDS;
      series.values.set([isSoon ? (series.values[last] as number) : seconds, cached ?? NaN, capacity ?? NaN, hits ?? NaN], place);
    },
    forget: (key) => void all.delete(key),
    of(key) {
      const { values, length } = all.get(key) ?? { values: new Float32Array(0), length: 0 };
      return Array.from({ length }, (_, i) => {
        const [seconds = 0, cached = NaN, capacity = NaN, hits = NaN] = values.subarray(i * FIELDS, (i + 1) * FIELDS);
        const known = Object.entries({ cached, capacity, hits }).filter(([, value]) => !Number.isNaN(value));
        return { at: Math.round((began ?? 0) + seconds * 1000), ...Object.fromEntries(known) };
      });
    },
  };
}

/** Doubles a series that is full; one that has as many as it may loses every second sample, so that it goes as far back as before. */
function makeRoom(series: Series, most: number): void {
  if ((series.length + 1) * FIELDS <= series.values.length && series.length < most) return;
  if (series.length >= most) {
    const kept = Math.ceil(series.length / 2);
    for (let i = 0; i < kept; i++) series.values.copyWithin(i * FIELDS, 2 * i * FIELDS, (2 * i + 1) * FIELDS);
    series.length = kept;
    return;
  }
  const larger = new Float32Array(Math.min(most, series.length * 2) * FIELDS);
  larger.set(series.values.subarray(0, series.length * FIELDS));
  series.values = larger;
}
