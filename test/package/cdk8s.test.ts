/** docs/cdk8s.md, in the project that `cdk8s init typescript-app` makes, with the package as npm packs it. */
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { npmModules, PACKAGE } from '../../harness/tools/npm.ts';
import { blocks, root } from '../docs/pages.ts';
import { installed, ran } from '../support/packed.ts';

const MODULES = await npmModules(PACKAGE);
const CLI = join(MODULES, 'cdk8s-cli');
const TEMPLATE = join(CLI, 'templates/typescript-app');
const page = blocks.filter(({ page }) => page === 'docs/cdk8s.md');
const textOf = (file: string): string => page.find((block) => block.file === file)?.text ?? '';
/** The oldest line that is said to work, that of the template, and the newest. */
const LINES = ['27', '33', '34'];

interface Object {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: { readonly template: { readonly spec: { readonly volumes: readonly object[] } } };
}

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });
let folder = '';
beforeAll(async () => {
  // Without Jest, whose 260 packages take the longest to install, and whose way of loading install.test.ts has.
  const { dependencies, devDependencies } = templatePackage();
  const packages = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) => !/jest|cdk8s-cli/.test(name));
  const lines = LINES.filter((line) => !(`cdk8s-plus-${line}` in dependencies)).map((line) => `cdk8s-plus-${line}`);
  folder = await installed([...packages.map(([name, version]) => `${name}@${version}`), ...lines], { name: 'app', version: '1.0.0' });
  for (const file of ['cdk8s.yaml', 'tsconfig.json']) cpSync(join(TEMPLATE, file), join(folder, file));
  symlinkSync(join(CLI, 'bin/cdk8s'), join(folder, 'node_modules/.bin/cdk8s'));
  for (const line of LINES)
    writeFileSync(join(folder, `main${line}.ts`), textOf('main.ts').replaceAll('cdk8s-plus-33', `cdk8s-plus-${line}`));
});
afterAll(() => folder && rmSync(folder, { recursive: true, force: true }));

/** The page's command, word for word. */
test('the page installs the package under its name', () => {
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly name: string };
  expect(page.map(({ text }) => text)).toContain(`npm install ${name}\n`);
});

test('imports of the CRDs, and the app with every line of cdk8s-plus, compile in its CommonJS project', async () => {
  const [crds = '', imports = ''] = (page.find(({ text }) => text.includes('cdk8s import'))?.text ?? '').trim().split('\n');
  expect(await ran(folder, 'sh', '-c', crds)).toEqual({ code: 0, output: '' });
  const imported = await ran(folder, 'sh', '-c', imports);
  expect(readFileSync(join(folder, 'imports/data.fluid.io.ts'), 'utf8'), imported.output).toContain('export class ThinRuntimeProfile');
  writeFileSync(join(folder, 'imported.ts'), textOf('imported.ts'));
  expect(await ran(folder, 'tsc', '--build')).toEqual({ code: 0, output: '' });
});

test.each(LINES)('cdk8s-plus-%s mounts the volume in a Deployment and a Job; the profile gets no namespace', async (line) => {
  const objects = await written(`main${line}.js`);
  const volumes = [{ name: 'images', persistentVolumeClaim: { claimName: 'images', readOnly: false } }];
  expect(objects.map(({ kind, metadata: { namespace } }) => [kind, namespace])).toEqual([
    ['ThinRuntimeProfile', undefined],
    ['Dataset', 'ml'],
    ['ThinRuntime', 'ml'],
    ['Deployment', 'ml'],
    ['Job', 'ml'],
  ]);
  for (const { kind, spec } of objects) if (['Deployment', 'Job'].includes(kind)) expect(spec.template.spec.volumes, kind).toEqual(volumes);
});

test('the objects of imported constructs are valid for synth', async () => {
  expect((await written('imported.js', 'imported')).map(({ kind }) => kind)).toEqual(['Dataset', 'ThinRuntime', 'Pod']);
  expect(await ran(folder, 'sluice', 'synth', 'imported/shared.k8s.yaml', 'imported/app.k8s.yaml')).toMatchObject({ code: 0 });
});

test('the plugin lets a sound app pass, and refuses one as synth does', async () => {
  mkdirSync(join(folder, 'node_modules/.cache'), { recursive: true });
  writeFileSync(join(folder, 'cdk8s.yaml'), textOf('cdk8s.yaml'));
  writeFileSync(join(folder, 'main.ts'), textOf('main.ts'));
  const sound = await synthesized();
  expect(sound, sound.output).toMatchObject({ code: 0, output: expect.stringContaining('Validations ended succesfully') });
  writeFileSync(join(folder, 'main.ts'), textOf('main.ts').replace('profileName: profile.name', "profileName: 'other'"));
  const { code, output } = await synthesized();
  expect({ code, output }).toMatchObject({ code: 2, output: expect.stringContaining('Construct Path: app/runtime') });
  const refused = await ran(folder, 'sluice', 'synth', '--assume-secrets', '-o', 'json', 'dist/app.k8s.yaml');
  const { errors } = JSON.parse(refused.output) as { readonly errors: readonly { readonly path: string; readonly expected: string }[] };
  expect(errors).toHaveLength(1);
  // The report repeats each fault.
  for (const { path, expected } of errors) for (const part of [path, expected]) expect(output).toContain(part);
});

/** The types were checked by the compiler. */
const synthesized = () => ran(folder, 'sh', '-c', 'TS_NODE_TRANSPILE_ONLY=true cdk8s synth');

async function written(program: string, into = 'dist'): Promise<readonly Object[]> {
  expect(await ran(folder, 'node', program)).toEqual({ code: 0, output: '' });
  return parseAllDocuments(readFileSync(join(folder, into, 'app.k8s.yaml'), 'utf8')).map((document) => document.toJS() as Object);
}

/** As `cdk8s init` fills it in. */
function templatePackage(): { readonly dependencies: Record<string, string>; readonly devDependencies: Record<string, string> } {
  const version = (name: string) =>
    (JSON.parse(readFileSync(join(MODULES, name, 'package.json'), 'utf8')) as { readonly version: string }).version;
  const filled = readFileSync(join(TEMPLATE, 'package.json'), 'utf8')
    .replace('{{ $base }}', 'app')
    .replace('{{ cdk8s_core_version }}', version('cdk8s'))
    .replace('{{ cdk8s_plus_version }}', version('cdk8s-plus-33'))
    .replace('{{ constructs_version }}', version('constructs'))
    .replace('{{ cdk8s_cli_spec }}', version('cdk8s-cli'));
  return JSON.parse(filled) as ReturnType<typeof templatePackage>;
}
