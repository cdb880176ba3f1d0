/** The plugin of examples/gitops as Argo CD's plugin server runs it: in the folder of the Application, with its variables. */
import { parseAllDocuments } from 'yaml';
import { describe, expect, test } from 'vitest';
import { generate } from './argo-plugin.ts';
import { folder } from './folder.ts';
import { sluice } from './run.ts';

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
  test.each(['diff --offline', 'synth --assume-secrets'])(
    '%s says how many objects of which other kinds are passed over',
    async (command) => {
      const other = (kind: string, name: string) => JSON.stringify({ apiVersion: 'x/v1', kind, metadata: { name } });
      const more = [other('Deployment', 'a'), other('Deployment', 'b'), other('Service', 'c'), other('Secret', 'd')];
      const juicefs = [
        dataset('mounts: [{ mountPoint: "juicefs:///", name: a }]'),
        runtime('JuiceFSRuntime').replace('"profileName": "s3"', ''),
      ];
      const { code, stdout, stderr } = await sluice([...command.split(' '), '-'], {
        input: [...juicefs, ...more].join('\n---\n'),
        env: nowhere,
      });
      expect([code, stderr.split('\n').at(-2)]).toEqual([0, 'note: passed over 3 objects of other kinds: 2 Deployment, 1 Service']);
      expect(stdout).not.toContain('note:');
    },
  );
  test('says of a kustomization what can be checked instead, whatever its file says', async () => {
    const said = folder({ 'juicefs.yaml': dataset(), 'kustomization.yaml': 'resources: [juicefs.yaml]\n' });
    const { code, stderr } = await sluice(['diff', '--offline', said], { env: nowhere });
    expect([code, stderr.split('\n').filter((line) => line.includes('kustomization'))]).toEqual([
      2,
      [
        `${said}/kustomization.yaml:1: expected manifests, such as \`kustomize build ${said} | sluice diff --offline -\` checks, found a kustomization`,
      ],
    ]);
    const named = JSON.stringify({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources: [] });
    const ofInput = await sluice(['diff', '--offline', '-'], { input: named, env: nowhere });
    expect(ofInput.stderr).toContain('found a kustomization');
  });
  test('does not say that a faulty object is not there', async () => {
    const { code, stderr } = await sluice(['diff', '--offline', '-'], { input: dataset('mounts: 3'), env: nowhere });
    expect([code, stderr]).toEqual([2, '<stdin>:5: Dataset default/demo: spec.mounts: expected a list of at least 1 item, found 3\n']);
  });
  test('reports a template of helm without a warning of its parser', async () => {
    const { code, stderr } = await sluice(['diff', '--offline', '-'], { input: '{{ .Values.x }}\n', env: nowhere });
    expect([code, stderr]).toEqual([2, expect.not.stringContaining('Warning')]);
  });
  describe('in a pipeline', () => {
    const input = `${dataset('mounts: 3')}\n---\n${JSON.stringify({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'GooseFSRuntime', metadata: { name: 'a' } })}`;
    const checked = async (format: string) => {
      const { code, stdout } = await sluice(['diff', '--offline', '-o', format, '-'], { input, env: nowhere });
      expect(code).toBe(2);
      return stdout;
    };
    test('faults are JSON, with their places', async () => {
      expect(JSON.parse(await checked('json'))).toMatchObject({
        faults: [
          { file: '<stdin>', object: 'Dataset default/demo', path: 'spec.mounts', found: '3' },
          { object: 'GooseFSRuntime default/a', path: 'kind', expected: expect.stringMatching(/^a kind that Sluice supports/) as string },
        ],
      });
    });
    test('faults are annotations of GitHub, of which no text ends another', async () => {
      const [first, second, ...more] = (await checked('github')).trimEnd().split('\n');
      expect(first).toMatch(/^::error file=<stdin>,line=\d+,col=\d+,title=Dataset default\/demo::spec\.mounts: expected /);
      expect(second).toMatch(/^::error file=<stdin>,line=\d+,col=\d+,title=GooseFSRuntime default\/a::kind: /);
      expect(more.every((line) => line.startsWith('::warning::'))).toBe(true);
    });
    test('faults are results of SARIF', async () => {
      const { version, runs } = JSON.parse(await checked('sarif')) as { version: string; runs: { results: object[] }[] };
      expect(version).toBe('2.1.0');
      expect(runs[0]?.results).toMatchObject([
        {
          level: 'error',
          message: { text: expect.stringContaining('Dataset default/demo: spec.mounts') as string },
          locations: [{ physicalLocation: { artifactLocation: { uri: 'stdin' }, region: { startLine: expect.any(Number) as number } } }],
        },
        { level: 'error' },
      ]);
    });
  });
  test('finds faults of plans, not those of objects elsewhere', async () => {
    const input = `${dataset('mounts: [{ mountPoint: "s3://bucket", name: a }]')}\n---\n${runtime('JuiceFSRuntime').replace('"profileName": "s3"', '')}`;
    const { code, stderr } = await sluice(['diff', '--offline', '-'], { input, env: nowhere });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^<stdin>:\d+: Dataset default\/demo: spec\.mounts\[0\]/);
    expect(stderr).not.toContain('--facts');
  });
  describe('of a Dataset and a profile with a mount template', () => {
    const profile = (template: string) => ({
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: 'ThinRuntimeProfile',
      metadata: { name: 's3', annotations: { 'data.fluid.io/mount-template': template } },
      spec: { fileSystemType: 'fuse.s3fs', fuse: { image: 's3fs', imageTag: '1' } },
    });
    const of = (...args: readonly string[]) => `program: s3fs\nargs: ${JSON.stringify(args)}\nenv: { KEY: '\${secret.key}' }`;
    const check = (template: string, command = 'diff --offline', env: Readonly<Record<string, string>> = {}) =>
      sluice([...command.split(' '), '-'], {
        input: [dataset(), runtime(), JSON.stringify(profile(template))].join('\n---\n'),
        env: { ...nowhere, ...env },
      });
    test("finds options that the template asks for, without Sluice's image", async () => {
      const { code, stderr } = await check(of('${mount.bucket}', '-ourl=${mount.options.minio-url}', '-os=${runtime.options.size}'));
      expect(stderr.split('\n').filter(Boolean)).toEqual([
        '<stdin>:5: Dataset default/demo: spec.mounts[0].options.minio-url: expected an option, since the template refers to ${mount.options.minio-url}, found nothing',
        '<stdin>:5: Dataset default/demo: spec.mounts[0].options.key: expected an option, since the template refers to ${secret.key}, found nothing',
        '<stdin>:7: ThinRuntime default/demo: spec.fuse.options.size: expected an option, since the template refers to ${runtime.options.size}, found nothing',
      ]);
      expect(code).toBe(2);
    });
    test('as synth does', async () => {
      const { code, stderr, stdout } = await check(of('${targetPath}'), 'synth --assume-secrets', { SLUICE_IMAGE: 'sluice:1' });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('Dataset default/demo: spec.mounts[0].options.key: expected an option');
    });
    test('finds nothing in one that has them', async () => {
      const { code, stderr } = await check('program: s3fs\nargs: ["${mount.bucket}", "${targetPath}"]');
      expect([code, stderr]).toEqual([0, '']);
    });
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
