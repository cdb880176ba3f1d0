/**
 * Whether what anybody could have written is read in one place: a step of `npm run check`. docs/threat-model.md lists the records; a
 * function that reads one says `threat-model: R-…` in its docstring. test/records/one-reader.test.ts plants what it must see.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { annotation, label } from '../src/api/labels.ts';
import { sidecar } from '../src/api/sidecars.ts';
import { isSought, recordFaults, rowsIn } from './records/faults.ts';
import { citationsIn, namesIn, readsIn } from './records/reads.ts';

const root = join(import.meta.dirname, '..');
const rows = rowsIn(readFileSync(join(root, 'docs/threat-model.md'), 'utf8'));
/** Those of the table, and those that no row has. */
const sought = new Set([...rows.flatMap(({ keys }) => keys), ...[label, annotation, sidecar].flatMap(Object.values)].filter(isSought));
const fields = new Set([...sought].flatMap((text) => /^metadata\.(\w+)$/.exec(text)?.[1] ?? []));
const isKey = (text: string): boolean => sought.has(text) && !text.startsWith('metadata.');

// Code for tests and authors of runtimes believes nothing of a cluster.
const files = globSync(['src/**/*.ts', 'runtimes/**/*.ts'], {
  cwd: root,
  exclude: ['src/testing/**', 'src/api-server/**', 'src/playground/**', '**/*.gen.ts'],
}).toSorted();
const sources = files.map((file) => ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true));
const names = namesIn(sources, isKey);
const reads = sources.flatMap((source) => readsIn(source, source.fileName, { names, isKey, fields }));
const citations = sources.flatMap((source) => citationsIn(source, source.fileName));
const faults = recordFaults(rows, reads, citations);

console.log(faults.length > 0 ? faults.join('\n') : `${rows.length} records, ${reads.length} reads`);
process.exitCode = faults.length > 0 ? 1 : 0;
