import { relative, join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');

/** A symbol that an entry point exports. */
export interface Published {
  /** The name that users import it from: `@sluice-data/sluice/api`. */
  readonly entry: string;
  /** With the namespace that it is in: `fields.env`. */
  readonly name: string;
  readonly symbol: ts.Symbol;
  /** In this repository; none of what a package declares. */
  readonly declarations: readonly ts.Declaration[];
}

/** Each once, under the first entry point that exports it. */
export function publishedBy(program: ts.Program, entries: ReadonlyMap<string, string>): readonly Published[] {
  const checker = program.getTypeChecker();
  const seen = new Set<ts.Symbol>();
  return [...entries].flatMap(([entry, file]) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`expected ${file}, of the entry point ${entry}, to be a module`);
    return checker.getExportsOfModule(module).flatMap((symbol) => resolved(symbol, ''));

    function resolved(exported: ts.Symbol, prefix: string): readonly Published[] {
      const symbol = aliased(checker, exported);
      const name = prefix + exported.name;
      if (seen.has(symbol)) return [];
      seen.add(symbol);
      if (!isOurs(symbol)) return [{ entry, name, symbol, declarations: [] }];
      if (symbol.flags & ts.SymbolFlags.ValueModule)
        return checker.getExportsOfModule(symbol).flatMap((each) => resolved(each, `${name}.`));
      return [{ entry, name, symbol, declarations: symbol.declarations ?? [] }];
    }
  });
}

export const aliased = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** Not of a package. */
export const isOurs = (symbol: ts.Symbol): boolean =>
  (symbol.declarations ?? []).some((declaration) => !declaration.getSourceFile().fileName.includes('/node_modules/'));

/** `src/api/units.ts:12 quantity` */
export function placeOf(node: ts.Node, name: string): string {
  const source = node.getSourceFile();
  return `${relative(root, source.fileName)}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${name}`;
}

export const docsOf = (symbol: ts.Symbol, checker: ts.TypeChecker): string =>
  ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();

export const hasTag = (symbol: ts.Symbol, name: string): boolean => symbol.getJsDocTags().some((tag) => tag.name === name);
