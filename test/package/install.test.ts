/** The package of `npm pack` works in a folder of its own: types, entry points, the command line, and the package of a vendor. */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { installed, packed, ran } from '../support/packed.ts';

const root = join(import.meta.dirname, '../..');
const bin = (name: string) => join(root, 'node_modules/.bin', name);
const { name, version, exports, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};
const entries = Object.keys(exports).flatMap((path) => (path.endsWith('.json') ? [] : name + path.slice(1)));
/** Only vitest can load the other one. */
const loadable = entries.filter((entry) => !entry.endsWith('/testing'));

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });
let folder = '';
beforeAll(async () => {
  folder = await installed();
});
afterAll(() => folder && rmSync(folder, { recursive: true, force: true }));

test('the installed package is small, and brings one library besides its peers', async () => {
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as { readonly packages: object };
  const packages = Object.keys(lock.packages).map((path) => path.replace('node_modules/', ''));
  const megabytes = (bytes: number) => Math.round(bytes / 1e5) / 10;
  const files = globSync('node_modules/**', { cwd: folder }).map((file) => ({ file, ...size(join(folder, file)) }));
  const sum = (of: typeof files) => megabytes(of.reduce((total, { bytes }) => total + bytes, 0));
  const figures = {
    packed: megabytes(statSync(await packed()).size),
    unpacked: sum(files.filter(({ file }) => file.startsWith(`node_modules/${name}/`))),
    installed: sum(files),
    packages: packages.length,
  };
  console.log(`the package: ${JSON.stringify(figures)} (MB), ${packages.join(', ')}`);
  // What cdk8s brings in its own archive is its own.
  const others = packages.filter((each) => !each.startsWith('cdk8s/node_modules/') && !(each in peerDependencies));
  expect(others.toSorted()).toEqual([name, 'typebox']);
  // Two runtimes more fit in, one library more does not.
  expect(figures.packed).toBeLessThan(2.2);
  expect(figures.unpacked).toBeLessThan(15);
  expect(figures.installed).toBeLessThan(26);
});

test('the command line says its version, and plans an example of the package', async () => {
  expect(await ran(folder, 'sluice', '--version')).toEqual({ code: 0, output: `${version}\n` });
  expect(await ran(folder, 'kubectl-sluice', '--version')).toEqual({ code: 0, output: `${version}\n` });
  const { code, output } = await ran(folder, 'sluice', 'synth', '--assume-secrets', `node_modules/${name}/examples/juicefs.yaml`);
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('kind: PersistentVolume') });
});

test('the playground starts, with a controller and a webhook', async () => {
  const { code, output } = await ran(folder, 'sluice', 'playground', '--', 'node', '--eval', 'console.log(process.env.KUBECONFIG)');
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^\/.*\/kubeconfig$/m) });
});

describe('every entry point', () => {
  test('loads from ES modules and from CommonJS', async () => {
    const some = `.every((it) => Object.keys(it).filter((name) => name !== 'default').length > 0)`;
    const esm = `console.log([${loadable.map((entry) => `await import('${entry}')`).join()}]${some})`;
    expect(await ran(folder, 'node', '--input-type=module', '--eval', esm)).toEqual(SAYS_TRUE);
    const cjs = `console.log([${loadable.map((entry) => `require('${entry}')`).join()}]${some})`;
    expect(await ran(folder, 'node', '--input-type=commonjs', '--eval', cjs)).toEqual(SAYS_TRUE);
  });

  test('of cdk8s loads where CommonJS cannot load ES modules, as in Jest', async () => {
    const program = `console.log(typeof require('${name}/cdk8s').Dataset === 'function')`;
    expect(await ran(folder, 'node', '--no-experimental-require-module', '--eval', program)).toEqual(SAYS_TRUE);
  });

  // TypeScript's own library, which others test, would take a third of the time more.
  const strict = ['--noEmit', '--strict', '--target', 'es2022', '--skipLibCheck', 'false', '--skipDefaultLibCheck'];
  test.each([
    ['nodenext, from an ES module and from CommonJS', ['main.mts', 'main.cts'], ['--module', 'nodenext']],
    ['bundler', ['main.mts'], ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ])('type checks, with the types of all libraries: %s', async (_, files, options) => {
    const imports = entries.map((entry, at) => `import * as entry${at} from '${entry}';\nvoid entry${at};\n`);
    for (const file of files)
      writeFileSync(join(folder, file), [...imports, `import { Dataset } from '${name}/cdk8s';\n`, MISUSE].join(''));
    expect(await ran(folder, bin('tsc'), ...strict, ...options, ...files)).toEqual({ code: 0, output: '' });
  });
});

describe("a vendor's package compiles, and its conformance suite passes:", () => {
  beforeAll(() => link(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest')));
  test('one that new-runtime makes', async () => {
    const vendor = join(folder, 'acme');
    expect(await ran(folder, 'sluice', 'new-runtime', 'acme', '--dir', vendor)).toMatchObject({ code: 0 });
    const { devDependencies } = JSON.parse(readFileSync(join(vendor, 'package.json'), 'utf8')) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    // From where this package was installed: no registry has it yet.
    expect(join(vendor, devDependencies[name]?.replace(/^file:/, '') ?? '')).toBe(await packed());
    await passes(vendor, 'AcmeRuntime');
  });
  test('examples/vendor-moosefs', async () => {
    const vendor = join(folder, 'moosefs');
    cpSync(join(root, 'examples/vendor-moosefs'), vendor, { recursive: true });
    await passes(vendor, 'MooseFSRuntime');
  });

  async function passes(vendor: string, kind: string): Promise<void> {
    expect(await ran(vendor, bin('tsc'))).toEqual({ code: 0, output: '' });
    const tests = await ran(vendor, bin('vitest'), 'run', '--update');
    expect(tests, tests.output).toMatchObject({ code: 0 });
    const crds = await ran(folder, 'sluice', 'crds', '--config', join(vendor, 'sluice.config.ts'));
    expect(crds).toMatchObject({ code: 0, output: expect.stringContaining(`kind: ${kind}\n`) });
  }
});

const SAYS_TRUE = { code: 0, output: 'true\n' };
/** Types that had become `any` would let it pass. */
const MISUSE = `// @ts-expect-error -- a number
new Dataset(undefined as never, 'a', { spec: { mounts: [{ mountPoint: 1 }] } });
`;

function size(file: string): { readonly bytes: number } {
  const stat = statSync(file);
  return { bytes: stat.isFile() ? stat.size : 0 };
}
function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
