import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { isDark, language, texts } from '../state/settings.ts';

export interface Series {
  readonly title: string;
  readonly colour: 'accent' | 'muted';
  readonly isFilled?: boolean;
  /** One for each time. */
  readonly values: readonly (number | undefined)[];
}
interface ChartProps {
  readonly label: string;
  /** In ms. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** The top of the scale; absent: that of the values. */
  readonly most?: number;
  /** Steps of the scale are powers of two where it is 1024. */
  readonly base?: 10 | 1024;
}

const HEIGHT = 200;
const TIME_OF_DAY = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const WITH_SECONDS = { ...TIME_OF_DAY, second: '2-digit' } as const;
/** The least span of time, in s: a single sample is at its end. */
const LEAST_S = 60;
const POWERS_OF_TWO = Array.from({ length: 61 }, (_, power) => 2 ** power);

/** uPlot gives a single sample a day, which it begins. */
function spanOf(shown: ArrayLike<number>): [number, number] {
  const [first = 0, last = 0] = [shown[0], shown[shown.length - 1]];
  return [Math.min(first, last - LEAST_S), last];
}

const timeOf = (at: number, withSeconds: boolean): string =>
  new Date(at * 1000).toLocaleTimeString(language.peek(), withSeconds ? WITH_SECONDS : TIME_OF_DAY);

/** A chart is drawn on a canvas, which knows no variables of CSS: it is made anew when the colours of the page change. */
export function Chart({ label, times, series, format, most, base = 10 }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const data: UPlot.AlignedData = [times.map((at) => at / 1000), ...series.map(({ values }) => values.map((value) => value ?? null))];
  const shape = JSON.stringify([isDark.value, language.value, series.map(({ title }) => title)]);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const colours = coloursOf(element);
    const axis = { stroke: colours.muted, font: `11px ${colours.font}`, grid: { stroke: colours.line, width: 1 }, ticks: { show: false } };
    const made = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        cursor: { y: false },
        legend: { live: true },
        scales: {
          x: { range: ({ data: [shown] }) => spanOf(shown) },
          y: { range: (_, __, max) => [0, most ?? (max || 1) * 1.05] },
        },
        axes: [
          {
            ...axis,
            size: 28,
            space: 80,
            values: (_, splits, __, ___, step) => splits.map((at) => timeOf(at, step < 60)),
          },
          { ...axis, size: 72, ...(base === 1024 ? { incrs: POWERS_OF_TWO } : {}), values: (_, splits) => splits.map(format) },
        ],
        series: [
          { label: texts.peek().when, value: (_, at) => (at === null ? '–' : new Date(at * 1000).toLocaleString(language.peek())) },
          ...series.map(({ title, colour, isFilled }) => ({
            label: title,
            stroke: colours[colour],
            width: 2,
            ...(isFilled ? { fill: colours.fill } : { dash: [6, 4] }),
            points: { show: times.length < 3 },
            value: (_: UPlot, value: number | null) => (value === null ? '–' : format(value)),
          })),
        ],
      },
      data,
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(data), [times, series]);
  return <div class="chart" ref={place} role="img" aria-label={label} />;
}

/** As the browser computes them where the chart is. */
function coloursOf(element: HTMLElement) {
  const probe = element.appendChild(document.createElement('i'));
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    accent: colour('accent'),
    muted: colour('muted'),
    line: colour('line'),
    fill: colour('accent-soft'),
    font: getComputedStyle(probe).fontFamily,
  };
  probe.remove();
  return colours;
}
