/** The texts of an answer, within the limits of API servers. */
import { describe, type Fault, oneLine } from '../../api/index.ts';

/** API servers keep so many characters of a warning (k8s.io/apiserver, endpoints/filters/warning.go). */
const LONGEST_WARNING = 256;
/** API servers keep 4,096 characters of all warnings together. */
const MOST_WARNINGS = 15;
/** A list of a thousand mounts may have a fault in each. */
const MOST_FAULTS = 50;

/** A line for each fault: `spec.replicas: expected an integer, found "three"`. */
export function faultLines(faults: readonly Fault[]): string {
  const lines = faults.slice(0, MOST_FAULTS).map(describe);
  return [...lines, ...moreThan(MOST_FAULTS, faults.length, 'faults')].join('\n');
}

/** The same by field, as kubectl prints it (https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#StatusCause). */
export const causesOf = (faults: readonly Fault[]): readonly object[] =>
  faults.slice(0, MOST_FAULTS).map((fault) => ({
    reason: 'FieldValueInvalid',
    field: oneLine(fault.path),
    message: describe({ ...fault, path: '' }).replace(/^: /, ''),
  }));

export function warningsOf(warnings: readonly string[]): readonly string[] {
  const shown = [...new Set(warnings)];
  return [...shown.slice(0, MOST_WARNINGS).map(shortened), ...moreThan(MOST_WARNINGS, shown.length, 'warnings')];
}

const moreThan = (most: number, count: number, what: string): readonly string[] =>
  count > most ? [`and ${count - most} more ${what}, which \`sluice diff\` prints`] : [];

/** At most as long as API servers keep it, cut between words. */
function shortened(text: string): string {
  const letters = [...oneLine(text)];
  if (letters.length <= LONGEST_WARNING) return letters.join('');
  const cut = letters.slice(0, LONGEST_WARNING - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > 0 ? cut.slice(0, space) : cut).join('')}…`;
}
