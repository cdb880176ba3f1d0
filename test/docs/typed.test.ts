/** What the pages say to type works, and what they say to put into files type-checks. */
import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { between, blocks, root, transcripts, type Transcript, TUTORIAL } from './pages.ts';

const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly name: string };

describe('what is typed:', async () => {
  const files = blocks.filter(({ page, file }) => page === TUTORIAL && file);
  const folder = written(mkdtempSync(join(tmpdir(), 'sluice-docs-')));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  // What another page says to put into files is put there, for its commands.
  const folders = new Map<string, string>();
  for (const { page, file, text } of blocks) {
    if (!file || page === TUTORIAL) continue;
    const into = folders.get(page) ?? mkdtempSync(join(tmpdir(), 'sluice-docs-'));
    folders.set(page, into);
    writeFileSync(join(into, file), text);
  }
  afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true, force: true })));
  // These begin here, beside the other tests: they take the longest.
  const sluice = `${process.execPath} ${join(root, 'src/cli/main.ts')}`;
  const types = run('node_modules/.bin/tsc', ['-p', written(join(root, 'node_modules/.cache/sluice/tutorial'))], root);

  // Its own tests become tests of this file.
  for (const { file = '' } of files.filter(({ file }) => file?.endsWith('.test.ts'))) await import(join(folder, file));

  test('the tutorial type-checks', { timeout: 180_000 }, async () => expect(await types).toEqual({ code: 0, output: '' }));

  const commands = blocks.flatMap(({ page, language, text }) => {
    const shown = language === 'console' ? transcripts(text) : language === 'sh' ? offline(text) : [];
    const ended = (command: string) =>
      run('sh', ['-c', command.replaceAll('npm run -s sluice --', sluice)], page === TUTORIAL ? folder : (folders.get(page) ?? root));
    return shown.map(({ command, answer }) => ({ page, command, answer, ended: ended(command) }));
  });
  test.each(commands)('$page: $ $command', { timeout: 180_000 }, async ({ answer, ended }) => {
    const { code, output } = await ended;
    const isRefused = /^\S+:\d+: /m.test(answer);
    expect({ code, missing: between(output, answer) }, output).toEqual({ code: isRefused ? 2 : 0, missing: undefined });
  });

  test('the program for cdk8s describes the Dataset and the runtime of the YAML above it', { timeout: 180_000 }, async () => {
    const into = folders.get('docs/getting-started.md') ?? '';
    const modules = join(into, 'node_modules');
    mkdirSync(join(modules, name), { recursive: true });
    for (const library of ['cdk8s', 'cdk8s-plus-27', 'constructs'])
      symlinkSync(join(root, 'node_modules', library), join(modules, library));
    symlinkSync(join(root, 'src'), join(modules, name, 'src'));
    const files = {
      'package.json': '{ "type": "module" }',
      [`node_modules/${name}/package.json`]: '{ "exports": { "./cdk8s": "./src/cdk8s.ts" } }',
    };
    for (const [file, text] of Object.entries(files)) writeFileSync(join(into, file), text);
    expect(await run(process.execPath, ['main.ts'], into)).toEqual({ code: 0, output: '' });
    const described = (file: string) =>
      parseAllDocuments(readFileSync(join(into, file), 'utf8'))
        .map(
          (document) =>
            document.toJS() as { readonly apiVersion: string; readonly kind: string; readonly metadata: object; readonly spec: object },
        )
        .filter(({ apiVersion }) => apiVersion === 'data.fluid.io/v1alpha1');
    expect(described('dataset.yaml').map(({ kind }) => kind)).toEqual(['Dataset', 'AlluxioRuntime']);
    expect(described('dist/training.k8s.yaml')).toEqual(described('dataset.yaml'));
  });

  /** The files as a reader would have them, with the sources and packages where they are for him. */
  function written(into: string): string {
    const packages = ['constructs', 'vitest', '@types'].map((library) => [`node_modules/${library}`, `node_modules/${library}`] as const);
    const links = new Map([...packages, [`node_modules/${name}/src`, 'src']]);
    const testing = (file: string) => `export * from ${JSON.stringify(join(root, 'src/testing', file))};\n`;
    const compilerOptions = {
      rootDir: '/',
      rewriteRelativeImportExtensions: false,
      incremental: true,
      tsBuildInfoFile: join(root, 'node_modules/.cache/sluice/tutorial.tsbuildinfo'),
    };
    const texts = {
      ...Object.fromEntries(files.map(({ file = '', text }) => [file, text])),
      'package.json': '{ "type": "module" }\n',
      // Not all of `@sluice-data/sluice/testing`: the control plane of the cluster tests takes seconds to check.
      [`node_modules/${name}/package.json`]: JSON.stringify({
        type: 'module',
        exports: { '.': './src/index.ts', './api': './src/api.ts', './testing': './testing.ts' },
      }),
      [`node_modules/${name}/testing.ts`]: testing('conformance.ts') + testing('given.ts'),
      'tsconfig.json': JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions,
        // A file that the page no longer has may still be there.
        files: files.flatMap(({ file }) => (file?.endsWith('.ts') ? file : [])),
      }),
    };
    for (const [file, text] of Object.entries(texts)) {
      const path = join(into, file);
      mkdirSync(dirname(path), { recursive: true });
      if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
    }
    for (const [link, target] of links) {
      // One that another checkout left here may lead nowhere.
      rmSync(join(into, link), { force: true });
      symlinkSync(join(root, target), join(into, link));
    }
    return into;
  }
});

/** What can be typed without a cluster; whatever it prints. */
const offline = (text: string): readonly Transcript[] =>
  [...text.matchAll(/^npm run -s sluice -- (?:synth|crds)\b(?!.*--cluster)[^|#\n]*/gm)].map(([command]) => ({ command, answer: '…' }));

interface Ended {
  readonly code: number;
  readonly output: string;
}

function run(file: string, args: readonly string[], cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd, maxBuffer: 16 << 20 }, (error: ExecFileException | null, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}
