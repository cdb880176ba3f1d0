/** The commands on the pages work. */
import { type ExecFileException, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { between, blocks, PLAYGROUND, PYTHON, root, transcripts, type Transcript, TUTORIAL } from './pages.ts';

const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly name: string };

describe('commands to type:', () => {
  // test/package/tutorial.test.ts, playground.test.ts and python.test.ts follow theirs.
  const followed = new Set([TUTORIAL, PLAYGROUND, PYTHON]);
  // Files of a page exist for its commands.
  const folders = new Map<string, string>();
  for (const { page, file, text } of blocks) {
    if (!file || followed.has(page)) continue;
    const into = folders.get(page) ?? mkdtempSync(join(tmpdir(), 'sluice-docs-'));
    folders.set(page, into);
    writeFileSync(join(into, file), text);
  }
  afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true, force: true })));
  // These begin here, beside the other tests: they take the longest.
  const sluice = `${process.execPath} ${join(root, 'src/cli/main.ts')}`;
  const commands = blocks.flatMap(({ page, language, text }) => {
    if (followed.has(page)) return [];
    const shown = language === 'console' ? transcripts(text) : language === 'sh' ? offline(text) : [];
    const ended = (command: string) => run('sh', ['-c', command.replaceAll('npm run -s sluice --', sluice)], folders.get(page) ?? root);
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
});

/** Commands that need no cluster; their output does not matter. */
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
