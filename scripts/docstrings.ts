/**
 * Whether what the package exports says what its users must know: a step of `npm run check`. The checker first proves that it sees
 * planted faults.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { exampleFaults, examplesOf } from './docstrings/examples.ts';
import { PLANTED, PLANTED_ENTRY, PLANTED_FAULTS } from './docstrings/planted.ts';
import { symbolFaults } from './docstrings/rules.ts';
import { publishedBy } from './docstrings/symbols.ts';

const root = join(import.meta.dirname, '..');
const planted = join(root, 'planted.ts');

/** By the name that users import, the source file. */
const entries = new Map<string, string>([
  ...entryPoints(
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { name: string; exports: Readonly<Record<string, unknown>> },
  ),
  // The part of the contract that no entry point exports yet.
  ['sluice/contract', join(root, 'src/constructs/contract.ts')],
  [PLANTED_ENTRY, planted],
]);

const { options } = ts.getParsedCommandLineOfConfigFile(join(root, 'tsconfig.json'), {}, {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
    throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
  },
} satisfies ts.ParseConfigFileHost) ?? { options: {} };
const program = programOf(entries.values(), new Map([[planted, PLANTED]]));
const published = publishedBy(program, entries);
const examples = published.flatMap(examplesOf);
const found = [
  ...published.flatMap((each) => symbolFaults(program, each)),
  ...(await exampleFaults(examples, published, entries, typeFaults)),
];

const isPlanted = (fault: string): boolean => fault.startsWith('planted.ts');
const missed = PLANTED_FAULTS.filter((expected) => !found.some((fault) => isPlanted(fault) && fault.includes(expected)));
const invented = found.filter((fault) => isPlanted(fault) && !PLANTED_FAULTS.some((expected) => fault.includes(expected)));
const faults = [
  ...missed.map((fault) => `the checker is blind: it does not report the planted ${fault}`),
  ...invented.map((fault) => `the checker reports what was not planted: ${fault}`),
  ...found.filter((fault) => !isPlanted(fault)),
];
console.log(
  faults.length > 0
    ? faults.join('\n')
    : `${published.filter(({ declarations }) => declarations.length > 0).length} exports and ${examples.length} examples`,
);
process.exitCode = faults.length > 0 ? 1 : 0;

function entryPoints({
  name: own,
  exports,
}: {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
}): readonly (readonly [string, string])[] {
  return Object.entries(exports).flatMap(([name, target]) => {
    const { import: esm, types } = target as { readonly import?: { readonly types: string }; readonly types?: string };
    const file = esm?.types ?? types;
    return file ? [[`${own}${name.slice(1)}`, join(root, file.replace(/^\.\/dist\/types\//, '').replace(/\.d\.ts$/, '.ts'))] as const] : [];
  });
}

/** One program; files that it shares with the one before are not read again. */
function programOf(roots: Iterable<string>, texts: ReadonlyMap<string, string>, before?: ts.Program): ts.Program {
  const host = ts.createCompilerHost(options);
  const paths = Object.fromEntries([...entries].map(([name, file]) => [name, [file]]));
  return ts.createProgram({
    rootNames: [...roots],
    options: { ...options, paths },
    host: {
      ...host,
      fileExists: (file) => texts.has(file) || host.fileExists(file),
      readFile: (file) => texts.get(file) ?? host.readFile(file),
      getSourceFile: (file, language) => {
        const text = texts.get(file);
        if (text !== undefined) return ts.createSourceFile(file, text, language, true);
        return before?.getSourceFile(file) ?? host.getSourceFile(file, language);
      },
    },
    ...(before && { oldProgram: before }),
  });
}

/** The compiler's faults of virtual files, by file. */
function typeFaults(texts: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const files = new Map([...texts].map(([file, text]) => [join(root, file), text]));
  const checked = programOf([...entries.values(), ...files.keys()], new Map([...files, [planted, PLANTED]]), program);
  return new Map(
    [...texts.keys()].map((file) => {
      const source = checked.getSourceFile(join(root, file));
      const diagnostics = [...checked.getSyntacticDiagnostics(source), ...checked.getSemanticDiagnostics(source)];
      return [file, diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))];
    }),
  );
}
