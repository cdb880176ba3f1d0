/** A column of a table: its name, and the text of its cells. */
import type { KubeObject } from '../../../kube/types.ts';
import { canonicalQuantity } from '../../../api/units.ts';
import { ageOf } from './ages.ts';
import { at, listAt, textAt } from './read.ts';

/** The definition of a column in a table (meta.k8s.io/v1, TableColumnDefinition). */
export interface ColumnDefinition {
  readonly name: string;
  /** How the cells are encoded: `string`, `integer`, `number`, `boolean`, or `date`. */
  readonly type: string;
  /** `name` for the column that names the object. */
  readonly format: string;
  readonly description: string;
  /** Above 0, only `kubectl get -o wide` shows the column. */
  readonly priority: number;
}

export type Cell = string | number | boolean | null;

/** A column and what stands in it for an object, at a time in milliseconds since the epoch. */
export interface TableColumn {
  readonly definition: ColumnDefinition;
  readonly cell: (object: KubeObject, now: number) => Cell;
}

/** A column of texts, as most are; of built-in kinds without a description. */
export const column = (name: string, cell: TableColumn['cell'], more: Partial<ColumnDefinition> = {}): TableColumn => ({
  definition: { name, type: 'string', format: '', description: '', priority: 0, ...more },
  cell,
});
export const integer = (name: string, cell: TableColumn['cell']): TableColumn => column(name, cell, { type: 'integer' });
/** One that only `kubectl get -o wide` shows. */
export const wide = (name: string, cell: TableColumn['cell']): TableColumn => column(name, cell, { priority: 1 });

const NAME_IS = 'Name of the object, unique within its namespace and kind.';
const CREATED_IS = 'When the object was created, in RFC 3339 and UTC.';
export const nameColumn: TableColumn = column('Name', ({ metadata }) => textAt(metadata, 'name'), {
  format: 'name',
  description: NAME_IS,
});
export const ageColumn: TableColumn = column('Age', ({ metadata }, now) => ageOf(at(metadata, 'creationTimestamp'), now), {
  description: CREATED_IS,
});
/** The column of kinds for which Kubernetes has no columns. */
export const createdColumn: TableColumn = column('Created At', ({ metadata }) => textAt(metadata, 'creationTimestamp'), {
  type: 'date',
  description: CREATED_IS,
});

/** Columns of kinds with pods: names and images of their containers. `path` leads to the spec of the pods. */
export const containerColumns = (...path: readonly string[]): readonly TableColumn[] => [
  wide('Containers', (object) => joined(listAt(object, ...path, 'containers'), 'name')),
  wide('Images', (object) => joined(listAt(object, ...path, 'containers'), 'image')),
];

/** A field of each entry, with commas. */
export const joined = (entries: readonly unknown[], field: string): string => entries.map((entry) => textAt(entry, field)).join(',');

/** A quantity as the API server spells it; one that is none as it is. */
export function quantityText(value: unknown): string {
  if (value === undefined) return '0';
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  try {
    return canonicalQuantity(value, '');
  } catch {
    return String(value);
  }
}
