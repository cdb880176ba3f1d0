import type { Figure } from './figure.ts';
import { FLUID } from './fluid.ts';

/** The table of docs/benchmarks.md. */
export function markdown(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.bench,
    shown(figure),
    unitOf(figure),
    figure.target.replace('<=', '≤').replace('>=', '≥'),
    figure.target === '' ? '' : figure.ok ? 'yes' : '**no**',
    FLUID[figure.bench] ?? '',
  ]);
  return [['figure', 'Sluice', 'unit', 'target', 'reached', 'Fluid'], ['---', '--:', '---', '--:', '---', '--:'], ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

const shown = ({ value }: Figure): string => (value === null ? 'never' : String(value));
const unitOf = ({ unit, change }: Figure): string =>
  (typeof change === 'string' ? `${unit}: ${change}` : unit).replaceAll('|', '\\|').replace(/<(\w+)>/g, '`<$1>`');
