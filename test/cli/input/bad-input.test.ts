/** Every file of bad/ says in comments, `#!` at the end of a line, which messages that line gives; together they give these and no others. */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { OLDEST_NODE, whyTooOld } from '../../../src/cli/node-version.ts';
import { root, sluice } from '../run.ts';

/** An unreadable file may be the one that the others miss: it is kept apart from them. */
const unreadable = 'test/cli/input/bad/syntax.yaml';
const files = globSync('test/cli/input/bad/*.yaml', { cwd: root })
  .filter((file) => file !== unreadable)
  .toSorted();
const expected = files.flatMap((file) =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((line, i) =>
      line
        .split(' #! ')
        .slice(1)
        .map((message) => ({ file, line: i + 1, message })),
    ),
);
const HINT = 'Objects outside of the input can be given with --facts FILE, or read from the cluster with --cluster.';

describe('bad input', async () => {
  const [asText, asJson, ofDiff] = await Promise.all([
    sluice(['synth', ...files]),
    sluice(['synth', '-o', 'json', ...files]),
    sluice(['synth', '--facts', 'test/cli/input/bad/syntax.yaml', 'examples/thin.yaml']),
  ]);

  test.each(files)('of %s is reported line by line, all at once', (file) => {
    const reported = asText.stderr.split('\n').filter((line) => line.startsWith(`${file}:`));
    expect(reported.toSorted()).toEqual(
      expected
        .filter((each) => each.file === file)
        .map(({ line, message }) => `${file}:${line}: ${message}`)
        .toSorted(),
    );
  });
  test('is reported in the order of the files and lines, with what may help, and nothing is printed', () => {
    const { code, stdout, stderr } = asText;
    const lines = stderr.trimEnd().split('\n');
    expect(lines.at(-1)).toBe(HINT);
    const places = lines.slice(0, -1).map((line) => line.split(':').slice(0, 2));
    expect(places.map(([file, line]) => `${file} ${line?.padStart(4, '0')}`)).toEqual(
      expected.map(({ file, line }) => `${file} ${String(line).padStart(4, '0')}`),
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
  test('is reported as JSON with -o json', () => {
    const { errors } = JSON.parse(asJson.stderr) as { errors: readonly Record<string, unknown>[] };
    expect(errors.map(({ file, line }) => ({ file, line }))).toEqual(expected.map(({ file, line }) => ({ file, line })));
    expect(errors.find(({ path }) => path === 'spec.replicas')).toEqual({
      file: 'test/cli/input/bad/fields.yaml',
      line: 15,
      column: 7,
      object: 'JuiceFSRuntime fields/demo',
      path: 'spec.replicas',
      expected: 'a 32-bit integer',
      found: '"three"',
    });
    expect(asJson).toMatchObject({ code: 2, stdout: '' });
  });
  test('among the facts is reported as well', () => {
    expect(ofDiff.stderr).toContain('test/cli/input/bad/syntax.yaml:5: expected YAML or JSON');
    expect(ofDiff.code).toBe(2);
  });
  test('that cannot be read is not reported as missing elsewhere', async () => {
    expect(await sluice(['synth', unreadable])).toEqual({
      code: 2,
      stdout: '',
      stderr: `${unreadable}:5: expected YAML or JSON, found a syntax error: Map keys must be unique\n`,
    });
  });
  test.each([
    ['empty, as from a pipe that broke', '', '<stdin>:1: expected at least one object, found none'],
    ['nothing but a comment', '# later\n---\n', '<stdin>:1: expected at least one object, found none'],
    ['Latin-1', Buffer.from('kind: Dataset\nname: caf\xe9\n', 'latin1'), 'sluice: <stdin>:2: expected UTF-8, found another encoding'],
    ['UTF-16', Buffer.from('\uFEFFkind: Dataset\n', 'utf16le'), 'sluice: <stdin>: expected UTF-8, found UTF-16'],
  ])('that is %s is reported as what it is', async (_, input, message) => {
    expect(await sluice(['synth', '-'], { input })).toEqual({ code: 2, stdout: '', stderr: `${message}\n` });
  });
});

describe('what the command line cannot work with', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bad-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('a kubeconfig that is no YAML is named', async () => {
    const file = join(folder, 'config');
    writeFileSync(file, 'clusters: [');
    const { code, stderr } = await sluice(['diff', '--kubeconfig', file, 'examples/thin.yaml']);
    expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 2, lines: 1 });
    expect(stderr).toContain(`sluice: kubeconfig ${file}: `);
  });
  test.each(['diff', 'explain'])('%s ends with 2 without a cluster, since 1 says what it found in one', async (command) => {
    const { code, stderr } = await sluice([
      command,
      ...(command === 'diff' ? ['examples/thin.yaml'] : []),
      '--kubeconfig',
      join(folder, 'none'),
    ]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('sluice: no cluster is configured: expected a kubeconfig at '),
    });
  });
  test('an older Node reports which one is needed', () => {
    const preload = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})`;
    const { status, stderr } = spawnSync(process.execPath, ['--import', preload, join(root, 'src/cli/main.ts'), 'crds'], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 1, stderr: `sluice: expected Node ${OLDEST_NODE} or newer, found 20.20.2\n` });
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
    expect(engines.node).toBe(`>=${OLDEST_NODE}`);
    expect(whyTooOld(OLDEST_NODE)).toBeUndefined();
    expect(whyTooOld('23.0.0')).toBeUndefined();
  });
  test('a runtime whose folder was removed is named, with what to do', () => {
    for (const name of ['src', 'runtimes', 'package.json']) cpSync(join(root, name), join(folder, 'checkout', name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'checkout/node_modules'));
    rmSync(join(folder, 'checkout/runtimes/juicefs'), { recursive: true });
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'checkout/src/cli/main.ts'), 'crds'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'sluice: expected a folder for each runtime of the registry, found none at runtimes/juicefs; `npm run gen` writes the registry again\n',
    });
  });
});
