import { describe, oneLine } from '../../api/index.ts';
import type { InputFault } from './documents.ts';

/** Objects may be missing only because nothing said where they are. */
export const ELSEWHERE = 'Objects outside of the input can be given with --facts FILE, or read from the cluster with --cluster.';

/** The input is wrong: exit code 2. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
  readonly faults: readonly InputFault[];
  /** Advice for faults of objects that are missing. */
  readonly hint: string | undefined;

  constructor(faults: readonly InputFault[], hint?: string) {
    const once = inPlace(faults);
    super(`${once.length} faults`);
    this.hint = hint;
    this.faults = once;
  }
}

/** Each once, in the order of their places: a companion is read with its document, and again for each runtime that needs it. */
export const inPlace = (faults: readonly InputFault[]): readonly InputFault[] =>
  [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()].toSorted(
    (a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column,
  );

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** `caches.yaml:12: Dataset ml/demo: spec.replicas: expected an integer, found "three"`. */
export const faultLine = ({ file, line, object, ...fault }: InputFault): string =>
  oneLine(
    `${file}:${line}: ${object ? `${object}: ` : ''}${fault.path ? describe(fault) : `expected ${fault.expected}, found ${fault.found}`}`,
  );

/** A line for each fault and the hint, or the faults as JSON. */
export function faultReport({ faults, hint }: BadInput, format: 'yaml' | 'json'): string {
  if (format === 'json') return JSON.stringify({ errors: faults.map(published) }, null, 2);
  const hints = hint !== undefined && faults.some(({ missing }) => missing) ? [hint] : [];
  return [...faults.map(faultLine), ...hints].join('\n');
}

/** Without what only the command needs. */
export function published(fault: InputFault): object {
  const { missing: _, unreadable: __, lone: ___, ofAnother: ____, ...rest } = fault;
  return rest;
}
