import type { Citation, Read } from './reads.ts';

/** A row of the table of records in docs/threat-model.md. */
export interface Row {
  /** `R-owner` */
  readonly id: string;
  /** Texts in backticks of its second column: keys of labels and annotations, fields of metadata, and what else is named there. */
  readonly keys: readonly string[];
}

/** The rows of all tables whose first column is an id. */
export function rowsIn(page: string): readonly Row[] {
  return page.split('\n').flatMap((line) => {
    const [, id, record = ''] = /^\| `(R-[a-z0-9-]+)` \|([^|]*)\|/.exec(line) ?? [];
    return id === undefined ? [] : [{ id, keys: [...record.matchAll(/`([^`]+)`/g)].map(([, key = '']) => key) }];
  });
}

/** A key of a label or an annotation, or a field of metadata, which the check can find where it is read. */
export const isSought = (text: string): boolean =>
  /^[a-z][a-z0-9.-]*\.[a-z]+\/[A-Za-z0-9._-]*$/.test(text) || text === 'CreatedBy' || text.startsWith('metadata.');

/** Faults that keep one record from being read in one place, a line each. */
export function recordFaults(rows: readonly Row[], reads: readonly Read[], citations: readonly Citation[]): readonly string[] {
  const believed = reads.filter(({ isKept }) => !isKept);
  const rowsWith = (key: string) => rows.filter(({ keys }) => keys.includes(key)).map(({ id }) => id);
  /** For one record: a key on another sort of object has a row of its own. */
  const records = Map.groupBy(
    believed.flatMap((read) => rowsWith(read.key).flatMap((row) => (read.cites.includes(row) ? [{ ...read, row }] : []))),
    ({ row, key }) => `${row}: ${key}`,
  );
  const known = new Set(rows.map(({ id }) => id));
  const cited = new Set(citations.map(({ row }) => row));
  return [
    ...believed.flatMap(({ file, line, key, cites }) => {
      const wanted = rowsWith(key);
      if (wanted.length === 0) return [`${file}:${line}: ${key} is read, and ${PAGE} does not say who can write it`];
      if (cites.some((row) => wanted.includes(row))) return [];
      const others = [
        ...new Set(believed.flatMap((each) => (each.key === key && each.file !== file && each.cites.length > 0 ? each.file : []))),
      ];
      return [
        `${file}:${line}: ${key} is read: expected ${others.length > 0 ? `a call of its reader in ${others.join(' or ')}` : `a docstring with "threat-model: ${wanted.join('" or "')}"`}`,
      ];
    }),
    ...[...records].flatMap(([record, all]) => {
      const files = [...new Set(all.map(({ file }) => file))].toSorted();
      return files.length > 1 ? [`${record} is read in several files: expected one, found ${files.join(', ')}`] : [];
    }),
    ...citations.filter(({ row }) => !known.has(row)).map(({ file, row }) => `${file}: cites ${row}, which ${PAGE} does not have`),
    ...rows.filter(({ id }) => !cited.has(id)).map(({ id }) => `${PAGE}: ${id} has no reader: expected a docstring that cites it`),
    ...rows.flatMap(({ id, keys }) =>
      keys.filter((key) => isSought(key) && !records.has(`${id}: ${key}`)).map((key) => `${PAGE}: ${id} names ${key}, which nothing reads`),
    ),
    ...rows.filter(({ id }, i) => rows.findIndex((row) => row.id === id) < i).map(({ id }) => `${PAGE}: ${id} is there more than once`),
  ];
}

const PAGE = 'docs/threat-model.md';
