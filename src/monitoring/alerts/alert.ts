import type { Vector } from '../promql.ts';
import { type Advice, templateOf } from './advice.ts';

export type Severity = 'critical' | 'warning' | 'info';

/** A reason to wake an operator, or to read in the morning. */
export interface Alert {
  /** `SluiceDatasetFailed`. */
  readonly name: string;
  /** `critical`: now pods cannot read their data or cannot start, or nothing is set up. `warning`: a person has to act. `info`: a person should know. */
  readonly severity: Severity;
  /** Fires for each of its series. */
  readonly expr: string;
  /** Seconds for which a series has to be there. */
  readonly forSeconds: number;
  /** The object and its state, with labels as templates of Prometheus. */
  readonly summary: string;
  /** The action of an operator, as a template. */
  readonly toDo: string;
  /** For the documentation: what it means, and what to do. */
  readonly means: string;
  readonly toDoInWords: string;
}

/** How long something has to last, s. Tests shorten it. */
export type Time = (seconds: number) => number;
export const usualTime: Time = (seconds) => seconds;

interface Given<Label extends string> extends Pick<Alert, 'name' | 'severity' | 'means'> {
  readonly of: Vector<Label>;
  /** Seconds. */
  readonly lasts: number;
  /** @param label writes a label of the series */
  readonly summary: (label: (name: Label) => string) => string;
  /** A sentence without its full stop, or the advice of `sluice explain` by labels of the series. */
  readonly toDo: string | Advice<Label>;
}

export const alert = <Label extends string>({ of, lasts, summary, toDo, ...rest }: Given<Label>): Alert => ({
  ...rest,
  expr: of.text,
  forSeconds: lasts,
  summary: summary((name) => `{{ $labels.${name} }}`),
  ...(typeof toDo === 'string' ? { toDo, toDoInWords: toDo } : { toDo: templateOf(toDo), toDoInWords: toDo.inWords }),
});
/** One text where the label has a value, and another one where the series has no such label: a sum has none of its parts. */
export const ifNamed = (label: string, named: string, otherwise: string): string =>
  `{{ if $labels.${label} }}${named}{{ else }}${otherwise}{{ end }}`;
