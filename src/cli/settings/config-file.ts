import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isSea } from 'node:sea';
import { pathToFileURL } from 'node:url';
import { Option } from 'commander';
import type { CustomResource } from '../../api/index.ts';
import type { Runtime } from '../../constructs/contract.ts';
import type { Package } from '../command.ts';
import { messageOf, UsageError } from '../errors.ts';
import { complain } from '../terminal.ts';
import { ownPackage } from '../version.ts';

/** The module's name in pages and new packages. */
const NAMES = ['sluice.config.ts', 'sluice.config.mts', 'sluice.config.js', 'sluice.config.mjs'];

export const configOption = (): Option =>
  new Option('--config <file>', 'module that exports further runtimes (`export default { runtimes: [...] }`); its code runs');

/**
 * The package's runtimes and those of the module in which an operator lists vendors' runtimes.
 *
 * A module is loaded only if `--config` names it: the current directory may be a repository that someone else wrote, and that this command
 * is to check.
 *
 * @param warn is called if a module is in the folder and none was named
 */
export async function allRuntimes(
  ours: readonly Runtime[],
  file: string | undefined,
  { folder = process.cwd(), warn = complain }: { readonly folder?: string; readonly warn?: (line: string) => void } = {},
): Promise<readonly Runtime[]> {
  if (file === undefined) {
    const unnamed = NAMES.find((name) => existsSync(join(folder, name)));
    if (unnamed !== undefined) warn(`sluice: ${unnamed} in the current directory is not loaded; to load it: --config ${unnamed}`);
    return ours;
  }
  // Modules of vendors import those of the package.
  if (isSea()) throw new UsageError(`--config ${file}: runtimes of vendors need Node and the npm package: npx ${ownPackage().name}`);
  const path = resolve(folder, file);
  const theirs = await runtimesIn(path);
  const twin = theirs.find((definition, i) => [...ours, ...theirs.slice(0, i)].some((other) => collide(definition, other)));
  if (twin)
    throw new UsageError(`${path}: expected each kind and each type of runtime once, found ${twin.resource.kind} (${twin.type}) twice`);
  return [...ours, ...theirs];
}

export interface AllParts {
  readonly runtimes: readonly Runtime[];
  /** Those of Datasets and operations, and of all the runtimes. */
  readonly resources: readonly CustomResource[];
  /** Whether some are not of the package: its image lacks their code. */
  readonly furtherRuntimes: boolean;
}

/** The runtimes as `allRuntimes`, with the resources of all. */
export async function allParts(parts: Package, file: string | undefined): Promise<AllParts> {
  const ours = await parts.runtimes();
  const runtimes = await allRuntimes(ours, file);
  const theirs = runtimes.slice(ours.length).flatMap(({ resource, companions }) => [resource, ...companions]);
  return { runtimes, resources: [...(await parts.resources()), ...theirs], furtherRuntimes: runtimes.length > ours.length };
}

async function runtimesIn(path: string): Promise<readonly Runtime[]> {
  let module: { readonly default?: { readonly runtimes?: unknown } };
  try {
    module = (await import(pathToFileURL(path).href)) as typeof module;
  } catch (error) {
    throw new UsageError(`${path}: expected a module that can be loaded, found: ${messageOf(error)}${cureOf(error, path)}`);
  }
  const runtimes = module.default?.runtimes;
  if (Array.isArray(runtimes) && runtimes.every(isRuntime)) return runtimes;
  throw new UsageError(`${path}: expected \`export default { runtimes: [...] }\` with values of defineRuntime()`);
}

/** Node takes a file for CommonJS where the package.json above it says so, as the one that `npm init` writes does. */
function cureOf(error: unknown, path: string): string {
  if (!(error instanceof SyntaxError) || !/outside a module|token 'export'/.test(error.message)) return '';
  if (/\.m[jt]s$/.test(path))
    return '. Node takes a file that it imports for CommonJS: set "type": "module" in the package.json above that file';
  const ending = path.replace(/^.*\.([jt]s)$/, '.m$1');
  return `. Node takes the file for CommonJS: set "type": "module" in package.json, or rename it and what it imports to ${ending}`;
}

const collide = (a: Runtime, b: Runtime): boolean =>
  a.resource.kind === b.resource.kind || namesOf(a).some((name) => namesOf(b).includes(name));
/** The names in directories and node labels, which must differ. */
const namesOf = ({ type, engines }: Runtime): readonly string[] => [type, ...engines];

function isRuntime(value: unknown): value is Runtime {
  const { type, engines, resource, bind } = (value ?? {}) as Partial<Runtime>;
  return typeof type === 'string' && Array.isArray(engines) && typeof resource?.kind === 'string' && typeof bind === 'function';
}
