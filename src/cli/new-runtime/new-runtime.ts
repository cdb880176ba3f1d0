import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { shown } from '../../api/errors.ts';
import type { Define } from '../command.ts';
import { Refused, UsageError } from '../errors.ts';
import { fromTemplate } from './from-template.ts';
import { packageFiles } from './package-files.ts';
import { ownPackage } from '../version.ts';
import { say, sayText } from '../terminal.ts';

const EXAMPLES = `
Examples:
  sluice new-runtime acme                      runtimes/acme, with its test, in a checkout of Sluice
  sluice new-runtime acme --kind ACMERuntime   with another kind than AcmeRuntime
  sluice new-runtime acme --dir ../acme        a package of its own, that imports from Sluice's

Exit codes:
  0  written; in a checkout the test has passed
  1  not written, since a file exists already, or the test failed
  2  bad usage`;

export const define: Define = (command, parts) => {
  command
    .argument('<name>', 'folder and type of the runtime: lower-case letters, digits and dashes')
    .option('--kind <kind>', 'kind of its custom resource (default: <Name>Runtime)')
    .option('--dir <folder>', 'create a package of its own there, instead of a folder in runtimes/')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, { kind, dir }: { readonly kind?: string; readonly dir?: string }) => {
      const title = titleOf(name, kind);
      const taken = (await parts.runtimes()).find(({ type, resource }) => type === name || resource.kind === `${title}Runtime`);
      if (taken) throw new Refused(`${taken.resource.kind} (${taken.type}) exists already; choose another name or --kind`);
      if (dir === undefined) inCheckout(name, title);
      else await asPackage(name, title, resolve(dir));
    });
};

/** `acme-fs` → `AcmeFs`. */
function titleOf(name: string, kind: string | undefined): string {
  // The name is part of node labels and volume names.
  if (!/^[a-z][a-z0-9-]{0,18}[a-z0-9]$/.test(name))
    throw new UsageError(`name: expected 2 to 20 lower-case letters, digits and dashes, a letter first, found ${shown(name)}`);
  const derived = name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  if (kind === undefined) return derived;
  const [, title] = /^([A-Z][A-Za-z0-9]*)Runtime$/.exec(kind) ?? [];
  if (!title) throw new UsageError(`--kind: expected a name such as ${derived}Runtime, found ${shown(kind)}`);
  return title;
}

function inCheckout(name: string, title: string): void {
  const root = checkout();
  const test = `test/runtimes/${name}/conformance.test.ts`;
  const files = fromTemplate(
    { name, title },
    {
      api: '../../src/api/index.ts',
      constructs: '../../src/constructs/index.ts',
      testing: '../../../src/testing/index.ts',
      runtime: `../../../runtimes/${name}/index.ts`,
    },
  );
  const places = Object.entries(files).flatMap(([file, text]): readonly [string, string][] => {
    if (file === 'sluice.config.ts') return [];
    return [[file.startsWith('test/') ? test : `runtimes/${name}/${file.replace(/^src\//, '')}`, text]];
  });
  write(root, Object.fromEntries(places));
  // The registry and the CRD, then the golden manifests, which the first run of the test writes.
  sayText(run(root, 'node', 'scripts/gen.ts'));
  run(root, 'node', 'scripts/format.ts', `runtimes/${name}`, `test/runtimes/${name}`);
  const lines = run(root, 'vitest', 'run', test, '--project', 'unit', '--update').split('\n');
  sayText(`${lines.filter((line) => /Tests|Snapshots/.test(line)).join('\n')}\n`);
  sayText(
    `\nNext: define in runtimes/${name}/spec.ts what users may write, and in plan.ts what follows from it.\n  npm run -s unit -- ${test}\n  npm run check\nTo try it with kubectl: npm run -s sluice -- playground\n`,
  );
}

async function asPackage(name: string, title: string, folder: string): Promise<void> {
  const own = ownPackage();
  const sources = checkoutRoot();
  const archive = sources === undefined ? installedFrom(own.name) : join(sources, archiveOf(own));
  const packed = archive && relative(folder, archive);
  const isPackage = existsSync(join(folder, 'package.json'));
  const { 'sluice.config.ts': config, ...files } = fromTemplate(
    { name, title },
    { api: `${own.name}/api`, constructs: own.name, testing: `${own.name}/testing`, runtime: '../src/index.ts' },
  );
  write(folder, { ...(isPackage ? {} : { ...packageFiles({ name, sluice: own, packed }), 'sluice.config.ts': config }), ...files });
  sayText(
    `\nNext:\n${sources === undefined ? '' : `  (cd ${relative(process.cwd(), sources) || '.'} && npm pack)\n`}  cd ${relative(process.cwd(), folder) || '.'} && npm install && npx vitest run\n` +
      'sluice.config.ts lists the runtime: sluice synth, image and install load it with --config sluice.config.ts.\n' +
      'To try it with kubectl: npx sluice playground --config sluice.config.ts\n',
  );
}

/** Writes all files or none: throws Refused when one of them exists. */
function write(folder: string, files: Readonly<Record<string, string>>): void {
  const inTheWay = Object.keys(files).filter((file) => existsSync(join(folder, file)));
  if (inTheWay.length > 0)
    throw new Refused(
      `nothing written: ${inTheWay.map((file) => join(folder, file)).join(', ')} exist${inTheWay.length === 1 ? 's' : ''} already`,
    );
  for (const [file, text] of Object.entries(files)) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    say(`wrote ${relative(process.cwd(), path)}`);
  }
}

/** The program's output; throws Refused with that output when the program fails. */
function run(root: string, program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program === 'node' ? process.execPath : join(root, 'node_modules/.bin', program), args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: undefined, NO_COLOR: '1' },
  });
  if (status !== 0) throw new Refused(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}

/** Throws UsageError in an installed package, which has no folder for runtimes. */
function checkout(): string {
  const root = checkoutRoot();
  if (root === undefined)
    throw new UsageError('expected a checkout of Sluice to put the runtime in; make a package of its own with --dir FOLDER');
  return root;
}

/** The root of the checkout that this program is part of; undefined in an installed package. */
function checkoutRoot(): string | undefined {
  const root = resolve(import.meta.dirname, '../../..');
  return existsSync(join(root, 'scripts/gen.ts')) && existsSync(join(root, 'package.json')) ? root : undefined;
}

/** The archive that npm installed this program from, if it is still there; undefined if it came from a registry. */
function installedFrom(name: string): string | undefined {
  const [modules = ''] = import.meta.dirname.split(`/${name}/`);
  try {
    // npm writes down where each package came from; a path is relative to the folder of node_modules.
    const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly resolved?: string }>>;
    };
    const { resolved = '' } = packages[`node_modules/${name}`] ?? {};
    const archive = resolve(dirname(modules), resolved.replace(/^file:/, ''));
    return resolved.startsWith('file:') && existsSync(archive) ? archive : undefined;
  } catch {
    return undefined;
  }
}

/** The file name that `npm pack` chooses. */
const archiveOf = ({ name, version }: { readonly name: string; readonly version: string }) =>
  `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`;
