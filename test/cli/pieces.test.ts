/** The parts of the command line that are worth a test of their own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runtimes } from '../../runtimes/_all.gen.ts';
import type { Dataset } from '../../src/api/index.ts';
import { allRuntimes } from '../../src/cli/settings/config-file.ts';
import { connect } from '../../src/cli/settings/connection.ts';
import { datasetCounts } from '../../src/cli/reconcile/counts.ts';
import { documentsIn, keysOf } from '../../src/cli/input/documents.ts';
import { redacted } from '../../src/cli/log.ts';
import { run } from '../../src/cli/program.ts';
import { unified } from '../../src/cli/diff/unified.ts';
import type { RuntimeObject } from '../../src/reconciler/world.ts';

function folder(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

/** As `patch` would. */
function applied(before: readonly string[], diff: readonly string[]): readonly string[] {
  const result: string[] = [];
  let at = 0;
  for (const line of diff) {
    const [, start, count] = /^@@ -(\d+)(?:,(\d+))?/.exec(line) ?? [];
    if (start !== undefined) {
      const from = Number(start) - (count === '0' ? 0 : 1);
      result.push(...before.slice(at, from));
      at = from;
    } else {
      if (!line.startsWith('+')) expect(before[at++]).toBe(line.slice(1));
      if (!line.startsWith('-')) result.push(line.slice(1));
    }
  }
  return [...result, ...before.slice(at)];
}

describe('a unified diff', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });
  test('makes one text of the other', () =>
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        expect(applied(before, unified(before, after))).toEqual(after);
      }),
    ));
  test('is empty for equal texts', () =>
    fc.assert(
      fc.property(lines, (same) => {
        expect(unified(same, same)).toEqual([]);
      }),
    ));
  test('shows three lines around a change', () =>
    expect(unified([...'abcdefgh'], [...'abcdXfgh'])).toEqual(['@@ -2,7 +2,7 @@', ' b', ' c', ' d', '-e', '+X', ' f', ' g', ' h']));
  test('counts from 0 where there was nothing', () => expect(unified([], ['a'])).toEqual(['@@ -0,0 +1 @@', '+a']));
});

const source = (text: string) => documentsIn('f.yaml', text).objects[0];
const line = (text: string, path: string) => source(text)?.at(keysOf(path)).line;

describe('positions', () => {
  const text = '# first\nspec:\n  mounts:\n    - name: a\n      options: { a/b: x }\n    - name: b\n';
  test.each([
    ['spec.mounts[0].name', 4],
    ['spec.mounts[1].name', 6],
    ['spec.mounts[0].options["a/b"]', 5],
    ['spec.mounts[0].options[a/b]', 5],
    ['spec.mounts[1].missing', 6],
    ['spec.mounts[7]', 3],
    ['metadata.name', 2],
  ])('of %s is line %d', (path, expected) => expect(line(text, path)).toBe(expected));
  test('count through documents, lists and JSON', () => {
    const { objects } = documentsIn('f.json', '{}\n---\n{"kind": "List",\n "items": [\n{"a": 1},\n{"a": 2}]}');
    expect(objects.map((object) => object.at(['a']).line)).toEqual([1, 5, 6]);
  });
  test('reads YAML as kubectl does', () =>
    expect(source('{ a: yes, b: "yes", c: off, d: 012 }')?.value).toEqual({ a: true, b: 'yes', c: false, d: 12 }));
  test('a bomb of aliases is a fault', () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x, x]',
      ...[...'bcdef'].map((key, i) => `${key}: &${key} [${Array(10).fill(`*${'abcde'[i]}`).join(', ')}]`),
    ].join('\n');
    expect(documentsIn('f.yaml', bomb).faults).toHaveLength(1);
  });
});

describe('logs', () => {
  test.each([
    ['redis://:secret@redis:6379/1 is down', 'redis://[redacted]@redis:6379/1 is down'],
    ['Authorization: Bearer abcdefghijkl', 'Authorization: Bearer [redacted]'],
    ['format --secret-key=abc --bucket=b', 'format --secret-key=[redacted] --bucket=b'],
    ['{"token":"abc","a":1}', '{"token":[redacted],"a":1}'],
    [
      'key: "s3a.secretKey"\n  value: "abc"\nkey: "endpoint"\n  value: "e"',
      'key: "s3a.secretKey"\n  value: "[redacted]"\nkey: "endpoint"\n  value: "e"',
    ],
    ['dataset ml/demo is bound', 'dataset ml/demo is bound'],
  ])('redact %s', (said, shown) => expect(redacted({ error: said })).toEqual({ error: shown }));
  test('redact whole fields', () =>
    expect(redacted({ a: [{ data: { k: 'v' }, key: 'ml/demo' }] })).toEqual({ a: [{ data: '[redacted]', key: 'ml/demo' }] }));
});

const kubeconfig = (user: string, current = 'one') => `
current-context: ${current}
contexts:
- { name: one, context: { cluster: c, user: u, namespace: ml } }
clusters:
- { name: c, cluster: { server: "https://api:6443", certificate-authority: ca.crt } }
users:
- { name: u, user: ${user} }
`;

describe('a kubeconfig', () => {
  test('with a certificate is read without a client library', async () => {
    const path = folder({ config: kubeconfig(`{ client-certificate-data: ${btoa('C')}, client-key: key }`), 'ca.crt': 'CA', key: 'K' });
    const connection = await connect({ kubeconfig: join(path, 'config') }, {});
    expect(connection).toMatchObject({ server: 'https://api:6443', ca: 'CA', cert: 'C', key: 'K', namespace: 'ml' });
  });
  test('with a token is too', async () => {
    const path = folder({ config: kubeconfig('{ token: t }'), 'ca.crt': 'CA' });
    const { token } = await connect({ context: 'one' }, { KUBECONFIG: join(path, 'config') });
    expect(await token?.()).toBe('t');
  });
  test('that names a context it does not have says which it has', async () => {
    const path = folder({ config: kubeconfig('{}'), 'ca.crt': '' });
    await expect(connect({ kubeconfig: join(path, 'config'), context: 'two' }, {})).rejects.toThrow(
      'expected a context named two, found one',
    );
  });
  test('that is not there is asked for', async () => {
    await expect(connect({ kubeconfig: '/no/such/file' }, {})).rejects.toThrow('expected a kubeconfig at /no/such/file');
  });
});

const moduleOf = (type: string, kind: string) =>
  `export default { runtimes: [{ type: '${type}', engines: ['${type}'], resource: { kind: '${kind}' }, companions: [], env: [], needs() {}, bind() {} }] };`;

describe('sluice.config.js', () => {
  test('adds runtimes', async () => {
    const path = folder({ 'sluice.config.js': moduleOf('acme', 'AcmeRuntime') });
    expect((await allRuntimes(runtimes, undefined, path)).map(({ type }) => type)).toEqual([...runtimes.map(({ type }) => type), 'acme']);
  });
  test.each([
    ['has a twin', moduleOf('acme', 'ThinRuntime'), 'expected each kind and each type of runtime once, found ThinRuntime (acme) twice'],
    ['exports something else', 'export default [];', 'expected `export default { runtimes: [...] }` with values of defineRuntime()'],
    ['cannot be loaded', 'import "./nowhere.js";', 'expected a module that can be loaded, found: '],
  ])('is refused when it %s', async (_, text, message) => {
    const path = folder({ 'my.config.js': text });
    await expect(allRuntimes(runtimes, 'my.config.js', path)).rejects.toThrow(message);
  });
});

const dataset = (name: string, status: object) => ({ metadata: { name, namespace: 'ml' }, status }) as unknown as Dataset;

const runtime = (kind: string, status: 'True' | 'False', reason: string) =>
  ({ object: { kind, status: { conditions: [{ type: 'Synced', status, reason }] } } }) as unknown as { readonly object: RuntimeObject };

test('runtimes that are not as their specs say are counted by kind and reason, whatever reasons a user writes', () => {
  const some = [
    runtime('ThinRuntime', 'False', 'InvalidSpec'),
    runtime('ThinRuntime', 'False', 'InvalidSpec'),
    runtime('JuiceFSRuntime', 'False', 'InvalidSpec'),
    runtime('JuiceFSRuntime', 'True', 'Synced'),
    { object: { kind: 'ThinRuntime' } as RuntimeObject },
  ];
  expect(datasetCounts([], some).notSynced).toEqual([
    { kind: 'ThinRuntime', reason: 'InvalidSpec', count: 2 },
    { kind: 'JuiceFSRuntime', reason: 'InvalidSpec', count: 1 },
  ]);
  const many = Array.from({ length: 1000 }, (_, i) => runtime('ThinRuntime', 'False', `Reason${i}`));
  const { notSynced } = datasetCounts([], many);
  expect(notSynced).toHaveLength(101);
  expect(notSynced.at(-1)).toEqual({ kind: 'ThinRuntime', reason: 'Other', count: 900 });
});

test('datasets are counted by phase, and by what is known of their data', () => {
  const counts = datasetCounts(
    [
      dataset('a', { phase: 'Bound', ufsTotal: '1.50GiB', fileNum: '7' }),
      dataset('b', { phase: 'Bound', ufsTotal: '[Calculating]', fileNum: '[Calculating]' }),
      dataset('c', {}),
    ],
    [],
  );
  expect(counts).toEqual({
    byPhase: new Map([
      ['Bound', 2],
      ['', 1],
    ]),
    notSynced: [],
    ufs: [{ dataset: 'ml/a', bytes: 1.5 * 2 ** 30, files: 7 }],
  });
});

describe('help', () => {
  const parts = { runtimes: async () => [], resources: async () => [] };
  async function help(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
    let text = '';
    const spies = (['stdout', 'stderr'] as const).map((stream) =>
      vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
        text += String(chunk);
        return true;
      }),
    );
    const code = await run(args, parts).finally(() => spies.forEach((spy) => spy.mockRestore()));
    return { code, text };
  }
  test.each(['synth', 'diff', 'crds', 'reconcile', 'new-runtime'])('of %s has examples and exit codes', async (name) => {
    const { code, text } = await help(name, '--help');
    expect(code).toBe(0);
    expect(text).toMatch(new RegExp(`Examples:\\n  .*sluice ${name}`));
    expect(text).toContain('\nExit codes:\n  0 ');
  });
  test.each(['synth', 'diff', 'reconcile'])('of %s names every variable that a runtime reads', async (name) => {
    const { text } = await help(name, '--help');
    expect(runtimes.flatMap(({ env }) => env).filter((variable) => !text.includes(variable))).toEqual([]);
  });
  test.each([
    [['snyth'], "sluice: unknown command 'snyth'\n(Did you mean synth?)"],
    [['synth'], "sluice: missing required argument 'files'"],
    [['synth', '--fact', 'f', 'x'], "sluice: unknown option '--fact'\n(Did you mean --facts?)"],
    [['crds', '-o', 'xml'], "sluice: option '-o, --output <format>' argument 'xml' is invalid. Allowed choices are yaml, json."],
  ])('is offered for %j', async (args, message) => {
    const { code, text } = await help(...args);
    expect({ code, text }).toEqual({ code: 2, text: `${message}\n(--help lists commands and options)\n` });
  });
});
