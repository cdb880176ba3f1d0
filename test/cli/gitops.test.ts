/** The plugin of examples/gitops as Argo CD's plugin server runs it: in the folder of the Application, with its variables. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { describe, expect, test } from 'vitest';
import { folder } from './folder.ts';
import { type Ended, root, sluice } from './run.ts';

interface Plugin {
  readonly spec: { readonly generate: { readonly command: readonly string[]; readonly args: readonly string[] } };
}
const plugin = parse(readFileSync(join(root, 'examples/gitops/plugin.yaml'), 'utf8')) as Plugin;

function generate(cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const { command, args } = plugin.spec.generate;
  const [program = '', ...first] = command;
  const theirs = { PATH: process.env['PATH'] ?? '', ARGOCD_APP_NAME: 'caches', ARGOCD_APP_NAMESPACE: 'ml', ...env };
  return new Promise((resolve) => {
    const options = { cwd, env: { ...theirs, SLUICE: join(root, 'src/cli/main.ts') } };
    execFile(program, [...first, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}

const dataset = (spec = 'mounts: [{ mountPoint: "s3://bucket", name: data }]') =>
  `apiVersion: data.fluid.io/v1alpha1\nkind: Dataset\nmetadata: { name: demo }\nspec:\n  ${spec}`;
const runtime = (kind = 'ThinRuntime') =>
  `{"apiVersion": "data.fluid.io/v1alpha1", "kind": "${kind}", "metadata": {"name": "demo"}, "spec": {"profileName": "s3"}}`;

describe('a plugin of Argo CD', () => {
  test('passes the manifests of its folder on', async () => {
    const { code, stdout, stderr } = await generate(
      folder({
        'a.yaml': dataset(),
        '-b.json': runtime(),
        'notes.md': '# no manifest',
        'with space.yml': 'apiVersion: v1\nkind: Secret\nmetadata: { name: keys }\n',
      }),
      { ARGOCD_ENV_OTHER: 'x' },
    );
    expect(stderr).toContain('No faults in 3 objects');
    expect(code).toBe(0);
    const kinds = parseAllDocuments(stdout).map((each) => (each.toJS() as { kind: string } | null)?.kind);
    expect(kinds.filter(Boolean).toSorted()).toEqual(['Dataset', 'Secret', 'ThinRuntime']);
  });
  test('passes nothing on that has a fault, which it names with file, line and object', async () => {
    const files = { 'a.yaml': dataset('mounts: 3'), 'b.json': runtime() };
    const { code, stdout, stderr } = await generate(folder(files));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('a.yaml:5: Dataset ml/demo: spec.mounts');
    expect((await generate(folder(files), { PARAM_NAMESPACE: 'of parameter' })).stderr).toContain('Dataset of parameter/demo');
  });
  test('reports a folder without manifests', async () => {
    const { code, stdout, stderr } = await generate(folder({ 'notes.md': '' }));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('.: expected .yaml, .yml or .json files in this folder, found none');
  });
});

describe('diff without a cluster', () => {
  const nowhere = { KUBECONFIG: '/nowhere', KUBERNETES_SERVICE_HOST: '' };
  test('reads standard input', async () => {
    const ended = await sluice(['diff', '--offline', '-'], { input: `${dataset()}\n---\n${runtime()}`, env: nowhere });
    expect(ended).toEqual({ code: 0, stderr: '', stdout: 'No faults in 2 objects. They were not compared with a cluster.\n' });
  });
  test('finds faults of plans, not those of objects elsewhere', async () => {
    const input = `${dataset('mounts: [{ mountPoint: "s3://bucket", name: a }]')}\n---\n${runtime('JuiceFSRuntime').replace('"profileName": "s3"', '')}`;
    const { code, stderr } = await sluice(['diff', '--offline', '-'], { input, env: nowhere });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^<stdin>:\d+: Dataset default\/demo: spec\.mounts\[0\]/);
    expect(stderr).not.toContain('--facts');
  });
  test('reports faults of the input rather than the missing cluster, unless there are none', async () => {
    const bad = await sluice(['diff', '-'], { input: dataset('mounts: 3'), env: nowhere });
    expect(bad.code).toBe(2);
    expect(bad.stderr).toContain('<stdin>:5: Dataset default/demo: spec.mounts');
    const good = await sluice(['diff', '-'], { input: `${dataset()}\n---\n${runtime()}`, env: nowhere });
    expect(good.code).toBe(2);
    expect(good.stderr).toContain('kubeconfig');
  });
});
