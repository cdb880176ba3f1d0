/** The command line against a real API server. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import type { KubeObject } from '../../src/kube/types.ts';
import { CHECKS, npmProgram } from '../../harness/tools/npm.ts';
import { sluice as cli, root } from '../cli/run.ts';
import { sharedControlPlane, simulated } from '../support/test-cluster.ts';
import { startProcess } from '../support/controller-process.ts';
import { kinds } from '../support/kinds.ts';
import { jfsDataset, jfsRuntime, jfsSecret, openDataset, thinRuntime } from '../support/objects.ts';
import { eventually, installCrds, PROFILE, type Sluice, type Space, startSluice } from '../support/sluice.ts';

const yaml = (...objects: readonly KubeObject[]): string => objects.map((object) => stringify(object)).join('---\n');

describe.skipIf(!simulated)('diff and synth', () => {
  let sluice: Sluice;
  let space: Space;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane());
    space = await sluice.space('cli');
    await space.create(openDataset('thin'), thinRuntime('thin', worker({ A: '1', B: '2' })));
    await space.create(jfsSecret(), jfsDataset('jfs'), jfsRuntime('jfs'));
    await space.bound('ThinRuntime', 'thin');
    await space.bound('JuiceFSRuntime', 'jfs');
    await space.becomes('StatefulSet', 'thin-worker', { status: { readyReplicas: 2 } });
  });
  afterAll(() => sluice?.stop());

  const worker = (env: Readonly<Record<string, string>>, image = 'v1') => ({
    profileName: PROFILE,
    replicas: 2,
    worker: {
      enabled: true,
      image: 'example.io/worker',
      imageTag: image,
      env: Object.entries(env).map(([name, value]) => ({ name, value })),
    },
  });
  const ask = (command: 'diff' | 'synth', input: string, ...more: readonly string[]) =>
    cli([command, '-', '-n', space.namespace, ...more], { input, env: { KUBECONFIG: sluice.plane.kubeconfig } });

  test('there are no differences from what the controller made', async () => {
    const answer = await ask(
      'diff',
      yaml(openDataset('thin'), thinRuntime('thin', worker({ A: '1', B: '2' })), jfsDataset('jfs'), jfsRuntime('jfs')),
    );
    expect(answer).toEqual({ code: 0, stdout: 'No differences in 14 objects.\n', stderr: '' });
  });
  test('a user of one namespace is told what is not compared, and sees the rest', async () => {
    const { plane } = sluice;
    const KUBECONFIG = await plane.kubeconfigFor('jane', ['team']);
    const rules = [
      { apiGroups: ['data.fluid.io', 'apps', 'batch'], resources: ['*'], verbs: ['get', 'list', 'create', 'update', 'patch'] },
      {
        apiGroups: [''],
        resources: ['configmaps', 'services', 'serviceaccounts', 'persistentvolumeclaims', 'pods'],
        verbs: ['get', 'list', 'create', 'update', 'patch'],
      },
    ];
    const rbac = 'rbac.authorization.k8s.io';
    const subjects = [{ kind: 'User', name: 'jane', apiGroup: rbac }];
    const metadata = { name: 'jane', namespace: space.namespace };
    const profiles = [{ apiGroups: ['data.fluid.io'], resources: ['thinruntimeprofiles'], verbs: ['get', 'list'] }];
    const everywhere = { name: `jane-${space.namespace}` };
    for (const object of [
      { kind: 'Role', metadata, rules },
      { kind: 'RoleBinding', metadata, roleRef: { apiGroup: rbac, kind: 'Role', name: 'jane' }, subjects },
      { kind: 'ClusterRole', metadata: everywhere, rules: profiles },
      {
        kind: 'ClusterRoleBinding',
        metadata: everywhere,
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: everywhere.name },
        subjects,
      },
    ])
      await plane.kubectlApply(stringify({ apiVersion: `${rbac}/v1`, ...object }));
    onTestFinished(async () => {
      await plane.kubectl('delete', 'clusterrole,clusterrolebinding', everywhere.name);
    });
    const asJane = (input: string) => cli(['diff', '-', '-n', space.namespace], { input, env: { KUBECONFIG } });
    const input = yaml(openDataset('thin'), thinRuntime('thin', worker({ A: '1', B: '3' })), jfsDataset('jfs'), jfsRuntime('jfs'));
    await eventually(async () => expect((await asJane(input)).stderr).toContain('warning'));
    const { stdout, stderr } = await asJane(input);
    expect(stdout).toMatch(/PersistentVolume \S+-thin is not compared: .*cannot get resource "persistentvolumes"/);
    expect(stdout).toMatch(/Role objects that would be deleted are not known: .*cannot list resource "roles"/);
    expect(stdout).toMatch(/-\s+value: ["']?2["']?\n\+\s+value: ["']?3/);
    expect(stdout).toMatch(/1 to change, .* unchanged\. Of what is named above, some was not compared/);
    expect((await asJane(yaml(jfsDataset('jfs'), jfsRuntime('jfs')))).stdout).toMatch(
      /No differences in \d+ objects\. Of what is named above, some was not compared/,
    );
    expect(stderr).toContain('warning: no right to list');
    expect(stderr).toContain(`warning: no right to read Secret ${space.namespace}/jfs-secret: it is assumed to exist`);
  });
  test('explain says what waits or has failed, and what to do', async () => {
    const explain = (...args: readonly string[]) =>
      cli(['explain', '-n', space.namespace, ...args], { env: { KUBECONFIG: sluice.plane.kubeconfig } });
    const well = await explain('thin');
    expect([well.code, well.stderr]).toEqual([0, '']);
    expect(well.stdout).toContain(`✓ Dataset ${space.namespace}/thin: Bound`);
    expect(well.stdout).toContain('StatefulSet thin-worker: 2 of 2 pods ready');
    const spec = { dataset: { name: 'thin' } };
    await space.create({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataLoad', metadata: { name: 'first' }, spec });
    const runAfter = { kind: 'DataLoad', name: 'nobody' };
    await space.create({
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: 'DataLoad',
      metadata: { name: 'second' },
      spec: { ...spec, runAfter },
    });
    await space.becomes('DataLoad', 'first', { status: { phase: 'Failed' } });
    await space.becomes('DataLoad', 'second', { status: { conditions: [{ reason: 'DataOperationNotFound' }] } });
    const ill = await explain('thin', 'dataload/first');
    expect(ill.code).toBe(1);
    expect(ill.stdout).toMatch(/✗ DataLoad \S+\/first: Failed\n {2}DataOperationNotSupport, for \d+s: .*\n {4}to do: correct the cause/);
    expect(ill.stdout).toMatch(/✗ DataLoad \S+\/second: Pending\n {2}DataOperationNotFound, for .*\n {4}to do: create it, or edit/);
    expect(ill.stdout).toContain('after DataLoad nobody (does not exist)');
    const { items } = JSON.parse((await explain('-o', 'json')).stdout) as { items: readonly { object: string; healthy: boolean }[] };
    expect(items.filter(({ healthy }) => !healthy).map(({ object }) => object.replace(/^(\w+) .*\//, '$1 '))).toEqual([
      'DataLoad first',
      'DataLoad second',
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'sluice-collect-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'thin.tar.gz');
    const collecting = await explain('thin', '--collect', file);
    expect([collecting.code, collecting.stdout.replaceAll(/\d+s/g, ''), collecting.stderr]).toEqual([
      1,
      (await explain('thin')).stdout.replaceAll(/\d+s/g, ''),
      expect.stringMatching(/thin\.tar\.gz: \d+ files; notes\.txt names what is left out\n$/),
    ]);
    const { stdout: listed } = await promisify(execFile)('tar', ['-tzf', file]);
    for (const path of [
      'explain.txt',
      'objects/Dataset/thin.yaml',
      'objects/ThinRuntimeProfile/',
      'objects/Pod/thin-worker-0.yaml',
      'objects/Node/',
    ])
      expect(listed).toContain(`sluice-${space.namespace}/${path}`);
    expect(await explain('thin', '--collect', file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not exist yet, found one'),
    });
    expect(await explain('nothing')).toMatchObject({ code: 2, stderr: expect.stringContaining('found none that is called nothing') });
    await space.delete('DataLoad', 'first');
    await space.delete('DataLoad', 'second');
  });
  test('synth --cluster gives what the controller made', async () => {
    const { stdout, stderr } = await ask('synth', yaml(jfsDataset('jfs'), jfsRuntime('jfs')), '--cluster');
    expect(stderr).toBe('');
    for (const object of parseAllDocuments(stdout).map((document) => document.toJS() as KubeObject)) {
      const live = await sluice.client.get(kinds[object.kind as keyof typeof kinds], object.metadata);
      expect(live).toMatchObject({ metadata: object.metadata, ...(object['spec'] ? { spec: object['spec'] } : {}) });
    }
  });
  test('a changed template is shown as it will be, and the pods that keep the old one are named', async () => {
    const { code, stdout } = await ask('diff', yaml(openDataset('thin'), thinRuntime('thin', worker({ B: '2' }, 'v2'))));
    expect(code).toBe(1);
    expect(stdout).toBe(`StatefulSet ${space.namespace}/thin-worker would be changed
${stdout.split('\n')[1]}
               topologyKey: kubernetes.io/hostname
       containers:
         - env:
-            - name: A
-              value: "1"
             - name: B
               value: "2"
-          image: example.io/worker:v1
+          image: example.io/worker:v2
           imagePullPolicy: IfNotPresent
           name: thin-worker
           resources: {}
! 2 pods keep the old template until deleted: thin-worker-0, thin-worker-1

0 to add, 1 to change, 0 to delete, 4 unchanged.
`);
  });
  test('an object that is no longer rendered would be deleted', async () => {
    const { code, stdout } = await ask('diff', yaml(openDataset('thin'), thinRuntime('thin', { profileName: PROFILE })));
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: `StatefulSet ${space.namespace}/thin-worker would be deleted\n\n0 to add, 0 to change, 1 to delete, 4 unchanged.\n`,
    });
  });
  test('fields that cannot change are named', async () => {
    const { stdout } = await ask(
      'diff',
      yaml(openDataset('thin', { accessModes: ['ReadWriteMany'] }), thinRuntime('thin', worker({ A: '1', B: '2' }))),
    );
    expect(stdout).toContain('! spec.accessModes[0] cannot change: it stays "ReadOnlyMany", not "ReadWriteMany"');
  });
  test('a new runtime is tried in a dry run, under names that are free', async () => {
    await space.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'fresh-fuse-conf' } });
    const { code, stdout } = await ask('diff', yaml(openDataset('fresh'), thinRuntime('fresh', { profileName: PROFILE })));
    expect(code).toBe(1);
    expect(stdout).toContain(`ConfigMap ${space.namespace}/fresh-fuse-conf cannot be written\n! it exists and belongs to no known owner\n`);
    expect(stdout).toContain(`+    data.fluid.io/owner-uid: <uid:ThinRuntime/fresh>`);
    expect(stdout).toContain('3 to add, 0 to change, 0 to delete, 1 that cannot be written, 0 unchanged.');
    expect(await space.find('DaemonSet', 'fresh-fuse')).toBeUndefined();
  });
  test('operations are tried in a dry run, with what only a running cluster knows', async () => {
    const input = ['alluxio', 'dataload', 'databackup', 'dataprocess'].map((name) =>
      readFileSync(join(root, `examples/${name}.yaml`), 'utf8'),
    );
    const { code, stdout } = await ask('diff', input.join('---\n'));
    expect(code).toBe(1);
    expect(stdout).toContain(`Job ${space.namespace}/alluxiodemo-load-loader-job would be added`);
    expect(stdout).toContain('<node:Pod/alluxiodemo-master-0>');
    expect(stdout).not.toContain('cannot be written');
    const load = { apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataLoad', metadata: { name: 'warm' }, spec: { dataset: { name: 'jfs' } } };
    expect((await ask('diff', yaml(load))).stdout).toContain('2 to add, 0 to change, 0 to delete, 0 unchanged.');
    const held = await sluice.plane.pods.hold({ namespace: space.namespace, name: 'warm-loader-job-*' }, { as: 'Running' });
    await space.create(load);
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Executing' } });
    expect(await ask('diff', yaml(load))).toEqual({
      code: 0,
      stdout: `Job ${space.namespace}/warm-loader-job exists: no Job is changed, so an edit of its operation has no effect\n\nNo differences in 1 object.\n`,
      stderr: '',
    });
    await held.release();
    await space.delete('DataLoad', 'warm');
  });
  test('contents of Secrets are not shown', async () => {
    const input = yaml(
      openDataset('keys', {
        mounts: [
          { mountPoint: 's3://b', name: 'b', encryptOptions: [{ name: 'k', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } }] },
        ],
      }),
      thinRuntime('keys', { profileName: PROFILE }),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { k: 'hush' } },
    );
    const { stdout } = await cli(['diff', '-', '-n', space.namespace], {
      input,
      env: { KUBECONFIG: sluice.plane.kubeconfig, THIN_FUSE_CONFIG_STORAGE: 'secret' },
    });
    expect(stdout).toContain('+  config.json: "***"');
    expect(stdout).not.toContain(btoa('hush'));
  });
  test('what is valid is compared although other objects have faults, which come last', async () => {
    const good = [openDataset('fine'), thinRuntime('fine', { profileName: PROFILE })];
    const { code, stdout, stderr } = await ask('diff', yaml(openDataset('lonely'), ...good));
    expect(code).toBe(2);
    expect(stdout).toContain('DaemonSet');
    expect(stdout).toContain('0 to change, 0 to delete, 0 unchanged.');
    expect(stderr).toContain(`Dataset ${space.namespace}/lonely: metadata.name: expected a runtime`);
  });
  test('an operation that is over has no faults', async () => {
    const over = { apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataLoad', metadata: { name: 'old' }, spec: { dataset: { name: 'thin' } } };
    const status = { phase: 'Failed', duration: '1s', conditions: [] };
    expect((await ask('diff', yaml(over))).code).toBe(2);
    expect(await ask('diff', yaml({ ...over, status }))).toMatchObject({ code: 0, stderr: '' });
  });
  test('trouble is 2, as with diff', async () => {
    const { code, stderr } = await cli(['diff', 'examples/thin.yaml', '--kubeconfig', '/no/such/file']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'sluice: no cluster is configured: expected a kubeconfig at /no/such/file; name one with --kubeconfig or KUBECONFIG\n',
    });
  });
});

describe.skipIf(!simulated)('reconcile beside Fluid', () => {
  const namespace = 'fluid-system';
  const CONTROLLERS = ['dataset', 'thin', 'fluidapp'];
  const leaseOf = (controller: string) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: `${controller}.data.fluid.io`, namespace },
  });
  let sluice: Sluice;
  const renewing = new Map<string, NodeJS.Timeout>();
  /** A controller of Fluid that lives until the test ends it. */
  async function runs(controller: string): Promise<void> {
    const renew = () =>
      sluice.client.patch(
        kinds.Lease,
        leaseOf(controller).metadata,
        { spec: { holderIdentity: `${controller}-0`, renewTime: new Date().toISOString().replace('Z', '000Z'), leaseDurationSeconds: 1 } },
        { type: 'merge' },
      );
    await renew();
    renewing.set(
      controller,
      setInterval(() => void renew().catch(() => {}), 300),
    );
  }
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane());
    await sluice.client.create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }).catch(() => {});
    for (const controller of CONTROLLERS) await sluice.client.create(kinds.Lease, leaseOf(controller));
  });
  afterAll(async () => {
    renewing.forEach(clearInterval);
    for (const controller of CONTROLLERS) await sluice.client.delete(kinds.Lease, leaseOf(controller).metadata);
    await sluice.stop();
  });
  /** Starts the controller, and ends it as soon as it says one of these. */
  async function start(...args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
    const where = ['--kubeconfig', sluice.plane.kubeconfig, '--leader-election-namespace', 'default', '--metrics-addr', '0'];
    const child = spawn(process.execPath, [join(root, 'src/cli/main.ts'), 'reconcile', ...where, ...args]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const text = await output(child, (said) => /"msg":"leading"/.test(said) && child.kill('SIGTERM'));
    return { code: child.exitCode, text };
  }

  test('is refused while one of its controllers renews its lease, but for --take-over', async () => {
    await runs('thin');
    const { code, text } = await start();
    expect({ code, text: text.split('\n').filter((line) => line.startsWith('sluice:')) }).toEqual({
      code: 1,
      text: [
        "sluice: Fluid's controller thin-0 renews the lease fluid-system/thin.data.fluid.io: two controllers would undo each other's work.",
        'sluice: Stop it first (kubectl -n fluid-system scale deployment thinruntime-controller --replicas=0), or start with --take-over.',
      ],
    });
    const leads = { code: 0, text: expect.stringContaining('leading') };
    expect(await start('--take-over')).toMatchObject(leads);
    clearInterval(renewing.get('thin'));
    expect(await start()).toMatchObject(leads);
  });
  test('without election is refused beside a Sluice that leads', async () => {
    const leader = startProcess(sluice.plane.kubeconfig, '--leader-election-namespace', 'default');
    await leader.says('leading');
    const { code, text } = await start('--no-leader-election');
    expect({ code, text }).toEqual({ code: 1, text: expect.stringMatching(/another Sluice \S+ renews the lease default\/sluice/) });
    await leader.end('SIGTERM');
    expect(await start('--no-leader-election')).toMatchObject({ code: 0, text: expect.stringContaining('leading') });
  });
  test('is not refused for what serves the webhook, which stays', async () => {
    await runs('fluidapp');
    expect(await start()).toMatchObject({ code: 0, text: expect.stringContaining('leading') });
  });
});

describe.skipIf(!simulated)('demo', () => {
  const plane = sharedControlPlane();
  const demo = () => spawn(process.execPath, [join(root, 'harness/demo/simulated.ts'), '--use-cluster', '--kubeconfig', plane.kubeconfig]);
  const left = async () => {
    const names = await plane.kubectl('get', 'datasets,thinruntimes,juicefsruntimes,alluxioruntimes,pv', '-A', '-o', 'name');
    return names.split('\n').filter((name) => /demo/.test(name));
  };

  beforeAll(() => installCrds(plane));

  test('shows binding, repair and removal, and leaves nothing behind', async () => {
    const child = demo();
    const text = await output(child);
    expect(child.exitCode, text).toBe(0);
    const steps = [
      '✓ CRDs',
      '✓ sluice reconcile',
      '✓ minio-demo',
      '✓ jfsdemo',
      '✓ alluxiodemo',
      'Objects created for AlluxioRuntime alluxiodemo',
      '✓ drift',
      '✓ removal',
      'This part took',
    ];
    expect(steps.filter((step) => !text.includes(step))).toEqual([]);
    expect(text).not.toContain('\u001b');
    expect(await left()).toEqual([]);
  });
  test('cleans up after Ctrl-C', async () => {
    const child = demo();
    const text = await output(child, (said) => said.includes('kubectl apply') && child.kill('SIGINT'));
    expect(child.exitCode, text).toBe(130);
    expect(text).toContain('Interrupted after');
    await eventually(async () => expect(await left()).toEqual([]));
  });
});

test('new-runtime makes a runtime whose types, format and tests are right', async () => {
  const clone = mkdtempSync(join(tmpdir(), 'sluice-clone-'));
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }));
  const isSource = (name: string) => !['node_modules', 'tools', 'dist', '.git'].includes(name);
  for (const name of readdirSync(root).filter(isSource)) cpSync(join(root, name), join(clone, name), { recursive: true });
  for (const name of ['node_modules', 'tools']) symlinkSync(join(root, name), join(clone, name));
  const run = (program: string, ...args: readonly string[]) => promisify(execFile)(program, args, { cwd: clone });

  const { stdout } = await run(process.execPath, 'src/cli/main.ts', 'new-runtime', 'acme-fs', '--kind', 'AcmeFSRuntime');
  expect(stdout).toContain('wrote crds/acmefsruntimes.yaml');
  expect(stdout).toMatch(/Tests.* \d+ passed/);
  expect(readFileSync(join(clone, 'runtimes/_all.gen.ts'), 'utf8')).toContain("import acmeFs from './acme-fs/index.ts'");
  writeFileSync(
    join(clone, 'tsconfig.acme.json'),
    JSON.stringify({ extends: './tsconfig.json', include: ['runtimes/acme-fs', 'test/runtimes/acme-fs'] }),
  );
  await run('node_modules/.bin/tsc', '-p', 'tsconfig.acme.json');
  await run(await npmProgram(CHECKS, 'oxlint'), 'runtimes/acme-fs', 'test/runtimes/acme-fs');
  await run(await npmProgram(CHECKS, 'biome'), 'format', 'runtimes/acme-fs', 'test/runtimes/acme-fs');

  const again = await run(process.execPath, 'src/cli/main.ts', 'new-runtime', 'acme-fs').catch(
    (error: { code: number; stderr: string }) => error,
  );
  expect(again).toMatchObject({ code: 1, stderr: 'sluice: AcmeFSRuntime (acme-fs) exists already; choose another name or --kind\n' });
});

/** All that a process prints until it has ended. `onText` is called with the text so far until it returns a true value. */
async function output(child: ChildProcess, onText: (text: string) => unknown = () => {}): Promise<string> {
  let text = '';
  let isDone = false;
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      isDone ||= Boolean(onText(text));
    });
  await new Promise((resolve) => child.on('close', resolve));
  return text;
}
