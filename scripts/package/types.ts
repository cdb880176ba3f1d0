/**
 * The declarations of the package: of what tsc wrote, those that an entry point leads to. They name no library but typebox, cdk8s and
 * constructs: Kubernetes' types are copied out of its client library, whose own declarations ask a user's project for more than it has.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Where Kubernetes' types are from. */
const CLIENT = '@kubernetes/client-node/dist/gen/models/all.js';

/** Copies the declarations that these entries (paths without ending) lead to, from one folder to another. */
export function copyTypes(from: string, to: string, entries: readonly string[], modules: string): void {
  const seen = new Set<string>();
  const reach = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const specifier of specifiersIn(readFileSync(file, 'utf8')))
      if (specifier.startsWith('.')) reach(join(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')));
  };
  for (const entry of entries) reach(join(from, `${entry}.d.ts`));
  for (const file of seen) {
    const target = join(to, relative(from, file));
    mkdirSync(dirname(target), { recursive: true });
    const text = readFileSync(file, 'utf8');
    if (!text.includes(CLIENT)) copyFileSync(file, target);
    else {
      writeFileSync(target, text.replaceAll(CLIENT, './kubernetes.js'));
      writeFileSync(join(dirname(target), 'kubernetes.d.ts'), kubernetesTypes(text, join(modules, dirname(CLIENT))));
    }
  }
}

/** Empties a folder, and keeps nothing of an earlier build. */
export function emptied(folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

const specifiersIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)['"]([^'"]+)['"]/g)].map(([, specifier = '']) => specifier);

/** The classes that a declaration names as `client.V1Pod`, and all that these name, as interfaces. */
function kubernetesTypes(text: string, models: string): string {
  const wanted = [...text.matchAll(/\bclient\.(\w+)/g)].map(([, name = '']) => name);
  const found = new Map<string, string>();
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (found.has(name)) continue;
    const file = join(models, `${name}.d.ts`);
    if (!existsSync(file)) throw new Error(`${file}: expected the type ${name}`);
    const source = readFileSync(file, 'utf8');
    for (const [, other = ''] of source.matchAll(/^import \{ (\w+) \} from '\S+';$/gm)) if (other !== 'IntOrString') wanted.push(other);
    found.set(name, asInterface(name, source));
  }
  const types = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, declared]) => declared);
  const from = 'Types of the Kubernetes API, from @kubernetes/client-node (Apache-2.0), as interfaces.';
  return [`/** ${from} */`, 'export type IntOrString = number | string;', ...types, ''].join('\n');
}

/** Without what only its instances at run time have. */
function asInterface(name: string, source: string): string {
  const [, doc = '', fields] =
    new RegExp(`(/\\*\\*(?:(?!\\*/).)*\\*/\\s)?export declare class ${name} \\{\\n(.*?)    static readonly discriminator`, 's').exec(
      source,
    ) ?? [];
  if (fields === undefined) throw new Error(`@kubernetes/client-node: expected a class ${name}, found ${source.slice(0, 200)}`);
  return `${doc}export interface ${name} {\n${fields}}`;
}
