/**
 * Whether the name of an exported type stands for one shape wherever a file may import it: a step of `npm run check`. Two layers of which
 * neither may import the other (.dependency-cruiser.cjs) may use a word each in its own sense.
 */
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');

/** One word for one concept, of which each place has its own part. */
const SAME_CONCEPT: Readonly<Record<string, string>> = {
  ObjectMeta: 'metadata: the fields that users write, and those that the API server returns',
  Probe: 'a question to a pod: of Kubernetes to a container, and of a runtime to its engine',
};

/** Constructs of cdk8s are called as the kinds are whose objects they render. Names of a template are those of no runtime. */
const LEFT_OUT = ['src/cdk8s.ts', 'src/cli/new-runtime/template/**', '**/*.gen.ts'];

const PLANTED: ReadonlyMap<string, string> = new Map([
  ['src/api/a.ts', 'export interface Twice { readonly a: string }\nexport interface Once {}\nexport interface Apart {}'],
  ['src/kube/b.ts', "export type Twice = 'b';\ninterface Once {}\nexport type { Apart } from '../api/a.ts';"],
  ['src/csi/c.ts', 'export class Alone {}'],
  ['src/webhook/d.ts', 'export interface Alone {}'],
]);

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string };
  readonly to: { readonly pathNot?: string | readonly string[] };
}
/** By layer, as a prefix of paths, the layers that it may import, itself among them. A folder without a rule may import all. */
const layers = new Map(
  (createRequire(import.meta.url)('../.dependency-cruiser.cjs') as { readonly forbidden: readonly Rule[] }).forbidden
    .filter(({ name }) => name.includes('-imports-only-'))
    .map(({ from, to }) => [String(from.path).slice(1), [to.pathNot ?? []].flat().map((path) => path.slice(1))]),
);

const blind = findings(PLANTED).map(({ name }) => name);
if (blind.join() !== 'Twice')
  fail([`the checker is blind: of the planted names it should report Twice, and reports ${blind.join() || 'none'}`]);
const found = findings(sources());
const isListed = ({ name }: Finding) => SAME_CONCEPT[name] !== undefined;
const stale = Object.keys(SAME_CONCEPT).filter((name) => !found.some((finding) => finding.name === name));
fail([
  ...found.filter((finding) => !isListed(finding)).map(({ name, files }) => `${name} stands for several shapes: ${files.join(', ')}`),
  ...stale.map((name) => `${name} stands for one shape, and need not be listed in scripts/type-names.ts`),
]);

interface Finding {
  readonly name: string;
  readonly files: readonly string[];
}

function findings(texts: ReadonlyMap<string, string>): readonly Finding[] {
  const places = new Map<string, string[]>();
  for (const [file, text] of texts)
    for (const name of exportedTypes(ts.createSourceFile(file, text, ts.ScriptTarget.Latest)))
      places.set(name, [...(places.get(name) ?? []), file]);
  return [...places].flatMap(([name, all]) => {
    const files = all.filter((file) => all.some((other) => other !== file && (mayImport(file, other) || mayImport(other, file))));
    return files.length > 0 ? [{ name, files }] : [];
  });
}

/** Those that are declared there: an export of another file's type has its shape. */
function exportedTypes({ statements }: ts.SourceFile): readonly string[] {
  return statements.flatMap((statement) => {
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isClassDeclaration(statement);
    const isExported = isType && statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    return isExported && statement.name ? [statement.name.text] : [];
  });
}

function mayImport(file: string, other: string): boolean {
  // Folders of runtimes are packages of their own.
  if (file.startsWith('runtimes/') && other.startsWith('runtimes/')) return file.split('/')[1] === other.split('/')[1];
  const layer = [...layers.keys()].filter((prefix) => file.startsWith(prefix)).toSorted((a, b) => b.length - a.length)[0];
  return layer === undefined || (layers.get(layer) ?? []).some((prefix) => other.startsWith(prefix));
}

function sources(): ReadonlyMap<string, string> {
  const files = globSync('{src,runtimes}/**/*.{ts,tsx}', { cwd: root, exclude: LEFT_OUT }).toSorted();
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

function fail(faults: readonly string[]): void {
  if (faults.length === 0) return;
  console.log(faults.join('\n'));
  process.exitCode = 1;
}
