import { describe, oneLine } from '../../api/index.ts';
import type { InputFault } from './documents.ts';

/** The input is wrong: exit code 2. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
  readonly faults: readonly InputFault[];

  constructor(faults: readonly InputFault[]) {
    // A companion is read with its document, and again for each runtime that needs it.
    const once = [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
    super(`${once.length} faults`);
    this.faults = once.toSorted((a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column);
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** `caches.yaml:12: Dataset ml/demo: spec.replicas: expected an integer, found "three"`. */
const faultLine = ({ file, line, object, ...fault }: InputFault): string =>
  oneLine(
    `${file}:${line}: ${object ? `${object}: ` : ''}${fault.path ? describe(fault) : `expected ${fault.expected}, found ${fault.found}`}`,
  );

/** A line for each fault and a hint, or the same as JSON. */
export function faultReport({ faults }: BadInput, format: 'yaml' | 'json'): string {
  if (format === 'json') return JSON.stringify({ errors: faults.map(published) }, null, 2);
  const hint = faults.some(({ missing }) => missing)
    ? ['Objects outside of the input can be given with --facts FILE, or read from the cluster with --cluster.']
    : [];
  return [...faults.map(faultLine), ...hint].join('\n');
}

function published(fault: InputFault): object {
  const { missing: _, unreadable: __, ...rest } = fault;
  return rest;
}
