import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { placeOf, type Published } from './symbols.ts';

/** The code of one `@example`. */
interface Example {
  readonly place: string;
  readonly entry: string;
  readonly code: string;
}

export const examplesOf = ({ entry, name, symbol, declarations: [first] }: Published): readonly Example[] =>
  symbol
    .getJsDocTags()
    .filter((tag) => tag.name === 'example' && first)
    .map((tag) => ({
      place: placeOf(first as ts.Declaration, name),
      entry,
      code: ts
        .displayPartsToString(tag.text)
        .replace(/^```ts\n/, '')
        .replace(/\n```\s*$/, ''),
    }));

/** Faults of examples: the compiler's, and results (`call(); // → result`, `call(); // throws text`) that differ. */
export async function exampleFaults(
  examples: readonly Example[],
  published: readonly Published[],
  entries: ReadonlyMap<string, string>,
  typeFaults: (texts: ReadonlyMap<string, string>) => ReadonlyMap<string, readonly string[]>,
): Promise<readonly string[]> {
  const modules = examples.map((example) => ({ ...example, text: moduleOf(example, published) }));
  const faults = typeFaults(new Map(modules.map(({ text }, i) => [`example-${i}.ts`, text])));
  const results = await Promise.all(
    modules.map(async ({ place, text }, i) => {
      const said = faults.get(`example-${i}.ts`) ?? [];
      return [...said, ...(said.length === 0 && RESULT.test(text) ? await differences(text, entries) : [])].map(
        (fault) => `${place}: @example: ${fault}`,
      );
    }),
  );
  return results.flat();
}

/** The example with the imports that its users write. Of names that several entry points export, its own entry point's comes first. */
function moduleOf({ entry, code }: Example, published: readonly Published[]): string {
  const declared = new Set([...code.matchAll(/\b(?:const|function|class|import)\s+(\w+)/g)].map(([, name]) => name));
  const used = new Set(code.match(/\b[A-Za-z]\w*/g));
  const imports = new Map<string, string>();
  for (const each of [...published.filter((one) => one.entry === entry), ...published.filter((one) => one.entry !== entry)]) {
    const [name = ''] = each.name.split('.');
    if (!used.has(name) || declared.has(name) || imports.has(name)) continue;
    const isType = !(each.symbol.flags & ts.SymbolFlags.Value);
    imports.set(name, `import { ${isType ? 'type ' : ''}${name} } from '${each.entry}';`);
  }
  return [...imports.values(), code, 'export {};'].join('\n');
}

const RESULT = /^(.*); \/\/ (→|throws) (.*)$/m;

/** Runs an example that says results; `declare` has no place in one. */
async function differences(text: string, entries: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const asserting = text
    .replace(new RegExp(RESULT, 'gm'), (_, call: string, sort: string, result: string) =>
      sort === '→'
        ? `assert.deepStrictEqual(${call}, ${result});`
        : `assert.throws(() => ${call}, (error) => said(error, ${JSON.stringify(result)}));`,
    )
    .replace(/from '([^']*\bsluice[^']*|planted)'/g, (_, name: string) => `from '${pathToFileURL(entries.get(name) ?? name).href}'`);
  const said = 'const said = ({ message }, text) => assert.ok(message.includes(text), `throws: ${message}`) ?? true;';
  const code = `import assert from 'node:assert';\n${said}\n${asserting}`;
  const { outputText } = ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 } });
  try {
    await import(`data:text/javascript,${encodeURIComponent(outputText)}`);
    return [];
  } catch (error) {
    return [`expected the result that it says, found: ${(error as Error).message.replaceAll('\n', ' ')}`];
  }
}
