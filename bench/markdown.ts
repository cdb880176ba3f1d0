import type { Figure } from './figure.ts';
import { FLUID } from './fluid.ts';

/** A table of docs/reference/benchmarks.md. */
export function markdown(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [named(figure), measured(figure), figure.target, reached(figure), FLUID[figure.bench] ?? '']);
  return [['bench', 'measured', 'target', 'reached', 'Fluid'], ['---', '---', '---', '---', '---'], ...rows]
    .map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

/** The name of a figure, with the change that it is about. */
export const named = ({ bench, change }: Figure): string => (typeof change === 'string' ? `${bench} ${change}` : bench);
const reached = ({ target, ok }: Figure): string => (target === '' ? '' : ok ? 'yes' : '**no**');

/** A value with its unit, and the conditions that it depends on. */
export function measured(figure: Figure): string {
  const { value, unit } = figure;
  if (value === null) return 'never';
  const depends = Object.entries(DEPENDS).flatMap(([detail, text]) => (typeof figure[detail] === 'number' ? text(figure[detail]) : []));
  return `${value} ${unit}${depends.length > 0 ? ` (${depends.join(', ')})` : ''}`;
}

/** The measured conditions of a figure, from the same run, by the name of the detail. */
const DEPENDS: Readonly<Record<string, (value: number) => string>> = {
  bareWriteSeconds: (value) => `bare write ${value} s`,
  limitPerSecond: (value) => `bare client ${value}/s`,
  programAloneMb: (value) => `program alone ${value} MB`,
  whole: (value) => `whole ${value} %`,
  parsing: (value) => `parsing alone ${value} %`,
  eventsPerSecond: (value) => `${value} events/s`,
  serverCpuMs: (value) => `server CPU ${value} ms each`,
  clientCpuMs: (value) => `client CPU ${value} ms each`,
  fluidMs: (value) => `Fluid's ${value} ms`,
  fluidPerSecond: (value) => `Fluid's ${value}/s`,
  fluidCpuMs: (value) => `Fluid's CPU ${value} ms each`,
  low: (value) => `95 % from ${value}`,
  high: (value) => `to ${value}`,
  claimSeconds: (value) => `through a claim ${value} s`,
  bareSeconds: (value) => `bare client ${value} s`,
  plainSeconds: (value) => `pod without a claim ${value} s`,
  load: (value) => `load ${value}`,
  peak: (value) => `peak ${value} MB`,
};
