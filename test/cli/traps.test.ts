/**
 * Every command in a directory that someone else wrote, as a check of a Git repository has it: no command runs a program of that directory.
 * The folder has files that programs of Node and of shells are known to load from where they are started.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS } from '../../src/cli/program.ts';
import { root } from './run.ts';

const base = mkdtempSync(join(tmpdir(), 'sluice-traps-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const marker = join(base, 'sprung');
const elsewhere = join(base, 'elsewhere');
mkdirSync(elsewhere);

const esm = (what: string) =>
  `import { appendFileSync } from 'node:fs';\nappendFileSync('${marker}', '${what}\\n');\nexport default { runtimes: [] };\n`;
const cjs = (what: string) =>
  `require('node:fs').appendFileSync('${marker}', '${what}\\n');\nmodule.exports = { default: { runtimes: [] } };\n`;
const shell = (what: string) => `#!/bin/sh\necho '${what}' >> '${marker}'\n`;

const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, object>;
const packages = [...Object.keys({ ...dependencies, ...devDependencies }), '@sluice-data/sluice', 'supports-color', 'source-map-support'];
const programs = [
  'sluice',
  'node',
  'npm',
  'npx',
  'sh',
  'bash',
  'kubectl',
  'git',
  'tar',
  'gzip',
  'getconf',
  'uname',
  'id',
  'mount',
  'umount',
];

const execPlugin = `users: [{ name: u, user: { exec: { apiVersion: client.authentication.k8s.io/v1, command: ./kubectl, interactiveMode: Never } } }]
clusters: [{ name: c, cluster: { server: "http://127.0.0.1:1" } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x
`;

const traps: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['ts', 'mts', 'mjs'].map((ending) => [`sluice.config.${ending}`, esm(`sluice.config.${ending}`)])),
  ...Object.fromEntries(['sluice.config.js', 'sluice.config.cjs', 'index.js', 'server.js'].map((name) => [name, cjs(name)])),
  'package.json': JSON.stringify({
    name: '@sluice-data/sluice',
    main: 'index.js',
    exports: { '.': './index.js', './*': './index.js' },
    imports: { '#*': './index.js' },
    scripts: { preinstall: './sh', prepare: './sh', test: './sh' },
  }),
  ...Object.fromEntries(
    packages.flatMap((name) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, version: '99.0.0', main: 'index.js' })],
      [`node_modules/${name}/index.js`, cjs(name)],
    ]),
  ),
  'cdk8s.yaml': 'language: typescript\napp: ./sh\nvalidations: [{ package: "./index.js", version: "1", class: X }]\n',
  'tsconfig.json': '{ "extends": "./index.js", "compilerOptions": { "plugins": [{ "transform": "./index.js" }] } }',
  '.env': 'NODE_OPTIONS=--require=./index.js\nKUBECONFIG=./.kube/config\n',
  '.npmrc': 'node-options=--require=./index.js\nscript-shell=./sh\n',
  '.kube/config': execPlugin,
  kubeconfig: execPlugin,
  'kustomization.yaml': 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\ngenerators: [./sh]\n',
};
/** Folders with traps, and manifests in a folder of their own, since some traps look like manifests. */
function trapped(): string {
  const folder = mkdtempSync(join(base, 'repository-'));
  const write = (name: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
  };
  for (const [name, text] of Object.entries(traps)) write(name, text);
  for (const name of programs) for (const path of [name, `node_modules/.bin/${name}`]) write(path, shell(path), 0o755);
  write(
    'caches/a.yaml',
    'apiVersion: data.fluid.io/v1alpha1\nkind: Dataset\nmetadata: { name: a }\nspec: { mounts: [{ mountPoint: "s3://b", name: d }] }\n',
  );
  write('caches/b.yaml', 'apiVersion: data.fluid.io/v1alpha1\nkind: ThinRuntime\nmetadata: { name: a }\nspec: { profileName: s3 }\n');
  return folder;
}

const nowhere = join(elsewhere, 'nowhere.yaml');
writeFileSync(nowhere, execPlugin.replace(/exec: .* \}/, 'token: x }'));
const named = join(elsewhere, 'named.mjs');
writeFileSync(named, 'export default { runtimes: [] };\n');
writeFileSync(join(elsewhere, 'config.json'), '{"mounts":[{"mountPoint":"s3://b","name":"d"}],"targetPath":"/mnt"}');
writeFileSync(join(elsewhere, 'template.yaml'), 'program: sh\nargs: ["${mount.source}"]\n');

const CALLS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  synth: [['caches'], ['--assume-secrets', 'caches/a.yaml', 'caches/b.yaml'], ['.']],
  diff: [
    ['--offline', 'caches'],
    ['--offline', '.'],
    ['--kubeconfig', nowhere, 'caches'],
  ],
  explain: [['--kubeconfig', nowhere]],
  playground: [['--', '/bin/true']],
  ui: [['--kubeconfig', nowhere]],
  crds: [[]],
  completion: [['bash']],
  install: [['--image', 'registry.example/sluice:1']],
  images: [[]],
  chart: [['out-chart']],
  monitoring: [['out-monitoring']],
  uninstall: [['--kubeconfig', nowhere]],
  takeover: [['plan', '--kubeconfig', nowhere]],
  reconcile: [['--kubeconfig', nowhere, '--metrics-addr', '0']],
  csi: [['--kubeconfig', nowhere, '--node-id', 'n', '--kubelet-dir', join(elsewhere, 'kubelet'), '--mount-root', join(elsewhere, 'mnt')]],
  webhook: [['--kubeconfig', nowhere, '--metrics-addr', '0']],
  prefetch: [['--root', elsewhere, '--status', join(elsewhere, 'status')]],
  'fuse-config': [['--file', join(elsewhere, 'config.json'), '--template', join(elsewhere, 'template.yaml'), '-o', 'script']],
  image: [['--config', named, '--base', 'missing.tar', '--name', 'registry.example/x:1']],
  'new-runtime': [['acme', '--dir', 'out']],
};

const environment = (folder: string) => ({
  PATH: `.:${folder}:${process.env['PATH']}`,
  HOME: elsewhere,
  TMPDIR: join(folder, 'tmp'),
  CI: 'true',
});

/** Runs until the program ends; those that serve until they have begun. */
async function run(folder: string, args: readonly string[]): Promise<{ readonly said: string; readonly code: number | null }> {
  const child = spawn(process.execPath, [join(root, 'src/cli/main.ts'), ...args], { cwd: folder, env: environment(folder), stdio: 'pipe' });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString('utf8')));
  child.stdin.end();
  const serves = ['reconcile', 'csi', 'webhook', 'prefetch'].includes(args[0] ?? '');
  const begun = () => said.includes('"level"') || existsSync(join(elsewhere, 'status/prefetcher.status'));
  const watcher = setInterval(() => serves && begun() && child.kill('SIGKILL'), 50);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(watcher);
  return { said, code };
}

const sprung = () => (existsSync(marker) ? readFileSync(marker, 'utf8') : '');

test('each command has a call here', () => {
  expect(Object.keys(CALLS).toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
});

test.each(Object.entries(CALLS).flatMap(([name, calls]) => calls.map((args) => [[name, ...args]])))(
  'sluice %j runs nothing of the directory that it is started in',
  async (args) => {
    const folder = trapped();
    mkdirSync(join(folder, 'tmp'));
    const { said } = await run(folder, args);
    expect({ sprung: sprung(), said }).toEqual({ sprung: '', said: expect.not.stringContaining('defect') });
    // Anyone may write below /tmp, so no code is loaded from there.
    expect(readdirSync(join(folder, 'tmp')).filter((name) => name.includes('cache'))).toEqual([]);
  },
);

test('the traps work: the module that a flag names is run', async () => {
  const folder = trapped();
  mkdirSync(join(folder, 'tmp'));
  const { code } = await run(folder, ['crds', '--config', 'sluice.config.mjs']);
  expect({ code, sprung: sprung() }).toEqual({ code: 0, sprung: 'sluice.config.mjs\n' });
  rmSync(marker);
});

test('commands that could load a module of the directory name the flag', async () => {
  const folder = trapped();
  mkdirSync(join(folder, 'tmp'));
  const { said, code } = await run(folder, ['diff', '--offline', 'caches']);
  expect({ code, said }).toEqual({
    code: 0,
    said: expect.stringContaining(
      'sluice: sluice.config.ts in the current directory is not loaded; to load it: --config sluice.config.ts\n',
    ),
  });
});

test('the plugin of examples/gitops runs nothing of the repository, whatever its parameter is', async () => {
  const plugin = parse(readFileSync(join(root, 'examples/gitops/plugin.yaml'), 'utf8')) as {
    readonly spec: { readonly generate: { readonly command: readonly string[]; readonly args: readonly string[] } };
  };
  const { command, args } = plugin.spec.generate;
  for (const parameter of ['ml', '--config=sluice.config.mjs', '--config', '; ./sh', '$(./sh)']) {
    const folder = trapped();
    const cwd = join(folder, 'caches');
    for (const name of ['sluice.config.mjs', 'sluice.config.ts']) writeFileSync(join(cwd, name), esm(name));
    const env = { PATH: process.env['PATH'] ?? '', HOME: elsewhere, SLUICE: join(root, 'src/cli/main.ts'), PARAM_NAMESPACE: parameter };
    await new Promise<void>((resolve) => {
      execFile(command[0] ?? '', [...command.slice(1), ...args], { cwd, env }, () => resolve());
    });
    expect({ parameter, sprung: sprung() }).toEqual({ parameter, sprung: '' });
  }
});
