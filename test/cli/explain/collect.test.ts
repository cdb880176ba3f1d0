import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import juicefs from '../../../runtimes/juicefs/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import { pathPart, writeArchive } from '../../../src/cli/explain/collect/archive.ts';
import { collected } from '../../../src/cli/explain/collect/collect.ts';
import { redactedObject } from '../../../src/explain/redacted.ts';
import { gather } from '../../../src/explain/gather.ts';
import type { KubeClient } from '../../../src/kube/contract.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { Harness } from '../../reconciler/harness.ts';
import { bound, load } from '../../reconciler/operations/given.ts';
import { openDataset, secret, thinRuntime } from '../../support/objects.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');

/** The API server in memory, which has no logs, no version, and no selection of events. */
function clientOf(at: Harness, log: (path: string) => unknown = () => 'a line\n'): KubeClient {
  const client = at.server.client({ fieldManager: 'a-user' });
  return {
    ...client,
    list: (type, options) => client.list(type, { ...options, fieldSelector: undefined }),
    raw: (_, path) => Promise.resolve().then(() => log(path)),
    version: () => Promise.resolve({ major: '1', minor: '34', gitVersion: 'v1.34.0' }),
  };
}
async function filesOf(at: Harness, names: readonly string[] = ['demo'], client = clientOf(at)): Promise<Readonly<Record<string, string>>> {
  const runtimes = [juicefs, thin];
  const input = await gather(client, runtimes, 'ml', names);
  const report = { text: 'the report', json: '{}' };
  const options = { client, runtimes, input, report, namespace: 'ml', systemNamespace: 'fluid-system', version: '1.2.3' };
  const files: Record<string, string> = {};
  for await (const { path, text } of collected(options)) files[path] = text;
  return files;
}
const refused = (path: string) => new ApiError({ method: 'GET', path }, 403, 'forbidden: you cannot get pods/log');

/** A Dataset with a DataLoad that runs, and with the programs of Sluice. */
async function given(): Promise<Harness> {
  const at = await bound({ prepare: (server) => server.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fluid-system' } }) });
  at.put(load());
  await at.quiet();
  const labels = { app: 'sluice' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'sluice:1' }] } };
  const spec = { selector: { matchLabels: labels }, template };
  at.server.put({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { namespace: 'fluid-system', name: 'sluice-csi' }, spec });
  return at;
}
const running = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'fluid-system', name, labels: { app: 'sluice' } },
  spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'sluice:1' }] },
  status: { conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [{ name: 'c', restartCount: 0, state: { running: {} } }] },
  ...more,
});

describe('the archive has', () => {
  test('the report, and everything of ours and of Kubernetes that is concerned', async () => {
    const files = await filesOf(await given());
    expect(files).toMatchObject({ 'explain.txt': 'the report', 'explain.json': '{}' });
    for (const path of ['Dataset/demo', 'JuiceFSRuntime/demo', 'DataLoad/warm', 'StatefulSet/demo-worker', 'DaemonSet/demo-fuse'])
      expect(parse(files[`objects/${path}.yaml`] ?? '')).toMatchObject({
        kind: path.split('/')[0],
        metadata: { name: path.split('/')[1] },
      });
    for (const path of [
      'Job/warm-loader-job',
      'ConfigMap/warm-loader-data-load-script',
      'PersistentVolumeClaim/demo',
      'PersistentVolume/ml-demo',
    ])
      expect(Object.keys(files)).toContain(`objects/${path}.yaml`);
    expect(Object.keys(files).filter((path) => path.startsWith('objects/Pod/')).length).toBeGreaterThan(1);
    expect(parse(files['objects/Node/node-1.yaml'] ?? '')).toMatchObject({ status: { conditions: [{ type: 'Ready' }] } });
    expect(JSON.parse(files['versions.json'] ?? '')).toEqual({
      sluice: '1.2.3',
      kubernetes: 'v1.34.0',
      images: { 'DaemonSet sluice-csi': ['sluice:1'] },
    });
    expect(files['notes.txt']).toContain('Left out:\nnothing\n');
  });
  test('the profile that a runtime names, and an operation that is over', async () => {
    const at = await given();
    at.put(openDataset('thin'));
    at.put(thinRuntime('thin', { profileName: 'profile' }));
    at.put({ ...load({ dataset: { name: 'thin' } }, 'old'), status: { phase: 'Failed', duration: '1s', conditions: [] } });
    await at.quiet();
    const paths = Object.keys(await filesOf(at, ['thin']));
    expect(paths).toEqual(expect.arrayContaining(['objects/ThinRuntimeProfile/profile.yaml', 'objects/DataLoad/old.yaml']));
    expect(paths).not.toContain('objects/DataLoad/warm.yaml');
  });
  test('events about these, and about pods of these that were deleted, in the order of time', async () => {
    const at = await given();
    const event = (name: string, about: string, lastTimestamp: string) =>
      at.put({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name },
        type: 'Normal',
        reason: 'R',
        message: `of ${name}\nand more`,
        lastTimestamp,
        involvedObject: { kind: 'Pod', name: about },
      });
    event('late', 'demo-worker-0', '2026-01-02T03:00:02Z');
    event('early', 'warm-loader-job-abcde', '2026-01-02T03:00:01Z');
    event('other', 'other-0', '2026-01-02T03:00:03Z');
    expect((await filesOf(at))['events.txt']).toBe(
      '2026-01-02T03:00:01Z Normal Pod/warm-loader-job-abcde R: of early and more\n2026-01-02T03:00:02Z Normal Pod/demo-worker-0 R: of late and more\n',
    );
  });
});

describe('logs', () => {
  const asked: string[] = [];
  const logs = async (at: Harness, log: (path: string) => unknown) => {
    asked.length = 0;
    const files = await filesOf(
      at,
      ['demo'],
      clientOf(at, (path) => {
        asked.push(path);
        return log(path);
      }),
    );
    return Object.fromEntries(Object.entries(files).filter(([path]) => path.includes('logs/') || path === 'notes.txt'));
  };
  test('are of each container that has started, and of the time before its last restart', async () => {
    const at = await given();
    const [one, never, again] = ['a', 'b', 'c'];
    const containerStatuses = [
      { name: one, restartCount: 0, state: { running: {} } },
      { name: never, restartCount: 0, state: { waiting: { reason: 'ImagePullBackOff' } } },
      { name: again, restartCount: 2, state: { waiting: { reason: 'CrashLoopBackOff' } } },
    ];
    const containers = [one, never, again].map((name) => ({ name, image: 'i' }));
    at.server.put(running('sluice-csi-x', { spec: { nodeName: 'node-1', containers }, status: { containerStatuses } }));
    const files = await logs(at, (path) => (path.includes('previous=true') ? 'before\n' : 'now\n'));
    const system = Object.entries(files).filter(([path]) => path.startsWith('system/'));
    expect(Object.fromEntries(system)).toEqual({
      'system/logs/sluice-csi-x/a.log': 'now\n',
      'system/logs/sluice-csi-x/c.log': 'now\n',
      'system/logs/sluice-csi-x/c.previous.log': 'before\n',
    });
    expect(asked.find((path) => path.includes('container=a'))).toBe(
      '/api/v1/namespaces/fluid-system/pods/sluice-csi-x/log?container=a&tailLines=2000&limitBytes=33554432&previous=false',
    );
  });
  test('that are long lose their beginning, between two lines', async () => {
    const at = await given();
    at.server.put(running('sluice-csi-x'));
    const text = Array.from({ length: 200_000 }, (_, i) => `line ${i}\n`).join('');
    const { 'system/logs/sluice-csi-x/c.log': kept = '' } = await logs(at, () => text);
    expect(kept.length).toBeLessThan((1 << 20) + 100);
    expect(kept.length).toBeGreaterThan(1_000_000);
    expect(kept).toMatch(/^\[earlier lines are left out\]\nline \d+\n/);
    expect(kept.endsWith('line 199999\n')).toBe(true);
  });
  test('that the user may not read are named, and the rest is there', async () => {
    const at = await given();
    at.server.put(running('sluice-csi-x'));
    const files = await logs(at, (path) => Promise.reject(refused(path)));
    expect(Object.keys(files)).toEqual(['notes.txt']);
    expect(files['notes.txt']).toContain('pods/sluice-csi-x/log');
    expect(files['notes.txt']).toContain('403: forbidden: you cannot get pods/log');
  });
  test('are of so many pods at most, first of those that are not ready or restarted', async () => {
    const at = await given();
    for (let i = 0; i < 70; i++) at.server.put(running(`sluice-csi-${i}`));
    const statuses = [{ name: 'c', restartCount: 0, state: { running: {} } }];
    at.server.put(running('sluice-csi-ill', { status: { conditions: [], containerStatuses: statuses } }));
    const files = await logs(at, () => 'x\n');
    const system = Object.keys(files).filter((path) => path.startsWith('system/logs/'));
    expect(system).toHaveLength(60);
    expect(system[0]).toBe('system/logs/sluice-csi-ill/c.log');
    expect(files['notes.txt']).toMatch(/logs of 11 pods: sluice-csi-59, .*sluice-csi-69/);
  });
});

test('no value of a Secret is in it', async () => {
  const at = await given();
  const value = 'LEAKED-9f3';
  at.put(secret('jfs-secret', { metaurl: `redis://:${value}@redis:6379/0`, 'secret-key': value }));
  const data = { 'config.json': `{"options":{"secret-key":"${value}"}}`, password: value, 'run.sh': `mount --secret-key ${value}` };
  const owner = at.get('StatefulSet', 'demo-worker')?.metadata.labels?.['data.fluid.io/owner-uid'] ?? '';
  const labels = { 'data.fluid.io/owner-uid': owner };
  at.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', labels }, data });
  at.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'own', labels }, data: { key: Buffer.from(value).toString('base64') } });
  const applied = { 'kubectl.kubernetes.io/last-applied-configuration': `{"spec":{"token":"${value}"}}` };
  const env = [
    { name: 'SECRET_KEY', value },
    { name: 'METAURL', value: `redis://:${value}@h/1` },
  ];
  const args = ['--access-key', 'a', '--secret-key', value, `--token=${value}`];
  const spec = { nodeName: 'node-1', containers: [{ name: 'c', image: 'i', env, args }] };
  at.server.put(
    running('sluice-csi-x', {
      metadata: { namespace: 'fluid-system', name: 'sluice-csi-x', labels: { app: 'sluice' }, annotations: applied },
      spec,
    }),
  );
  const event = {
    type: 'Warning',
    reason: 'R',
    message: `mount failed: password=${value}`,
    involvedObject: { kind: 'Dataset', name: 'demo' },
  };
  at.put({ apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, ...event });
  const files = await filesOf(
    at,
    ['demo'],
    clientOf(at, () => `AWS_SECRET_ACCESS_KEY=${value}\nmount redis://:${value}@redis:6379/1\n{"token":"${value}"}\n`),
  );
  const text = Object.entries(files).map(([path, content]) => `${path}\n${content}`);
  expect(text.filter((each) => each.includes(value) || each.includes(Buffer.from(value).toString('base64')))).toEqual([]);
  expect(text.filter((each) => each.includes('[redacted]')).length).toBeGreaterThan(3);
  expect(at.server.requestsThat({ kind: 'Secret' }).filter(({ manager }) => manager === 'a-user')).toEqual([]);
});

describe('an object', () => {
  test('keeps names of Secrets and what only looks like one', () => {
    const spec = {
      volumes: [{ name: 'keys', secret: { secretName: 'keys' } }],
      automountServiceAccountToken: true,
      env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'keys', key: 'token' } } }],
      args: ['--token', '--verbose'],
      imagePullSecrets: [{ name: 'pull' }],
      password: '',
    };
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec };
    expect(redactedObject(object)).toEqual({ ...object, spec: { ...spec, args: ['--token', '[redacted]'] } });
  });
});

describe('the file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-collect-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  async function* entries(...all: readonly (readonly [string, string])[]) {
    for (const [path, text] of all) yield { path, text };
  }
  test('is read by tar, and by its owner alone', async () => {
    const file = join(folder, 'a.tar.gz');
    const long = pathPart('p'.repeat(253));
    expect(await writeArchive(file, 'sluice-ml', entries(['a.txt', 'ä\n'], [`logs/${long}/${'c'.repeat(63)}.previous.log`, '']), NOW)).toBe(
      2,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(spawnSync('tar', ['-xzf', file, '-C', folder], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(folder, 'sluice-ml/a.txt'), 'utf8')).toBe('ä\n');
    expect(globSync('sluice-ml/logs/*/*', { cwd: folder })).toHaveLength(1);
  });
  test('is not written over, and not left behind half', async () => {
    const file = join(folder, 'b.tar.gz');
    writeFileSync(file, 'mine');
    await expect(writeArchive(file, 'x', entries(['a', 'b']), NOW)).rejects.toThrow(
      `${file}: expected a file that does not exist yet, found one`,
    );
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const broken = join(folder, 'c.tar.gz');
    async function* failing() {
      yield { path: 'a', text: 'b' };
      throw new Error('no answer');
    }
    await expect(writeArchive(broken, 'x', failing(), NOW)).rejects.toThrow('no answer');
    expect(existsSync(broken)).toBe(false);
    await expect(writeArchive(join(folder, 'no/d.tar.gz'), 'x', entries(), NOW)).rejects.toThrow('no such file or directory');
  });
  test('has short paths for long names, and different ones for different names', () => {
    const [a, b] = ['a', 'b'].map((end) => pathPart(`${'n'.repeat(200)}${end}`));
    expect([a?.length, b?.length, a === b, pathPart('demo')]).toEqual([80, 80, false, 'demo']);
  });
});
