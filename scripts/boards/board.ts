/** A board of Grafana, and how its panels are laid out. `npm run gen` writes the boards with Grafana's own library. */
import type { Vector } from '../../src/monitoring/promql.ts';

/** How values read: bytes, bytes a second, a count, seconds, a share of 1, events a second. */
export type Unit = 'bytes' | 'binBps' | 'short' | 's' | 'percentunit' | 'ops';

export interface Query {
  readonly of: Vector;
  /** Name of each series, by labels in double braces. */
  readonly legend: string;
}
export interface Panel {
  /** A curve for each series; the present value of each; or a row for each. */
  readonly as: 'graph' | 'stat' | 'table';
  readonly title: string;
  /** The meaning, and what is to be seen. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
}
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}
/** A choice at the top of a board: values of a label. */
export type Choice = 'namespace' | 'dataset';

export interface Board {
  /** `fleet`: the name of its file. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly choices: readonly Choice[];
  readonly rows: readonly Row[];
}

type Given = Omit<Panel, 'as'>;
export const graph = (title: string, description: string, unit: Unit, ...queries: readonly Query[]): Panel =>
  panel('graph', { title, description, unit, queries });
export const stat = (title: string, description: string, unit: Unit, ...queries: readonly Query[]): Panel =>
  panel('stat', { title, description, unit, queries });
export const table = (title: string, description: string, unit: Unit, ...queries: readonly Query[]): Panel =>
  panel('table', { title, description, unit, queries });
const panel = (as: Panel['as'], rest: Given): Panel => ({ as, ...rest });

/** Labels in the legend are those of the series. */
export const shown = <Label extends string>(of: Vector<Label>, legend: (label: (name: Label) => string) => string): Query => ({
  of,
  legend: legend((name) => `{{${name}}}`),
});

/** Labels of the Datasets that are chosen. */
export const IN_NAMESPACE = { namespace: { variable: 'namespace' } } as const;
export const OF_DATASET = { ...IN_NAMESPACE, dataset: { variable: 'dataset' } } as const;
/** As long as a curve needs to be smooth. */
export const STEP = '$__rate_interval';
