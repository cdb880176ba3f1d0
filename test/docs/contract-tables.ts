/** Tables of the contract of runtimes: the fields of an interface with their docstrings. */
import ts from 'typescript';
import { code, table } from './markdown.ts';
import { read } from './pages.ts';

/** By the name of the table: a file of src/constructs/contract, and the interface in it. */
const INTERFACES = {
  contractKind: ['runtime.ts', 'RuntimeDefinition'],
  contractEngine: ['runtime.ts', 'EngineDefinition'],
  contractEngines: ['runtime.ts', 'Engines'],
  contractReads: ['runtime.ts', 'Reads'],
  contractNeeds: ['input.ts', 'Needs'],
  contractFacts: ['input.ts', 'Facts'],
  contractPlan: ['plan.ts', 'BasePlan'],
  contractProbe: ['commands.ts', 'Probe'],
  contractCommand: ['commands.ts', 'Command'],
  contractMounts: ['commands.ts', 'MountTable'],
  contractCleanup: ['commands.ts', 'Cleanup'],
} as const;

export const contractTables: Readonly<Record<string, () => Promise<string>>> = Object.fromEntries(
  Object.entries(INTERFACES).map(([name, [file, type]]) => [name, async () => fieldsOf(`src/constructs/contract/${file}`, type)]),
);

function fieldsOf(file: string, type: string): string {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const found = source.statements.find(
    (each): each is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(each) && each.name.text === type,
  );
  if (!found) throw new Error(`${file}: expected the interface ${type}`);
  return table(
    ['field', 'what it is'],
    found.members.flatMap((member) => {
      const [comment] = ts.getJSDocCommentsAndTags(member);
      const text = comment && ts.isJSDoc(comment) ? (ts.getTextOfJSDocComment(comment.comment) ?? '') : '';
      const name = member.name?.getText(source) ?? '';
      // A field whose name and type say all has no docstring.
      return [[code(member.questionToken ? `${name}?` : name), text.replaceAll(/\s+/g, ' ').trim() || code(typeOf(member, source))]];
    }),
  );
}

const typeOf = (member: ts.TypeElement, source: ts.SourceFile): string =>
  ts.isPropertySignature(member) ? (member.type?.getText(source) ?? '') : '';
