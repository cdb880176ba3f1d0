import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { annotationsFor } from '../../harness/control-plane/behaviours.ts';
import { SET_STATUS } from '../../harness/control-plane/kwok.ts';
import { createCa, issue } from '../../harness/control-plane/pki.ts';
import { selects } from '../../harness/control-plane/pod-target.ts';
import { cacheDir, MODULES, toolPath, wantedTools } from '../../harness/tools/tools.ts';
import { OLDEST_MINOR } from '../../src/install/oldest-kubernetes.ts';
import { goMinor } from '../../harness/tools/go.ts';
import { DEFAULT_KUBERNETES, moduleFor, PATCHES } from '../../harness/tools/kubernetes.ts';
import { lock } from '../../harness/tools/lock.ts';

describe('certificates', () => {
  test('carry user and groups, and are signed by the authority', async () => {
    const ca = await createCa(new Date());
    const { certificate } = await issue(ca, { user: 'jane', groups: ['dev', 'ops'], hosts: ['localhost', '127.0.0.1'] }, new Date());
    const parsed = new X509Certificate(certificate);
    expect(parsed.subject).toBe('CN=jane\nO=dev\nO=ops');
    expect(parsed.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1');
    expect(parsed.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true);
  });
});

describe('which pods a test means', () => {
  const pod = { namespace: 'a', name: 'demo-worker-0', labels: { role: 'worker', app: 'juicefs' } };
  test.for([
    [{ namespace: 'a' }, true],
    [{ namespace: 'b' }, false],
    [{ namespace: 'a', name: 'demo-worker-*' }, true],
    [{ namespace: 'a', name: 'demo-worker' }, false],
    [{ namespace: 'a', labels: { role: 'worker' } }, true],
    [{ namespace: 'a', labels: { role: 'worker', app: 'alluxio' } }, false],
  ] as const)('%j: %s', ([target, expected]) => {
    expect(selects(target, pod)).toBe(expected);
  });
});

test('a crashing pod reports every container as waiting after an end', () => {
  const pod = { spec: { containers: [{ name: 'a', image: 'i' }, { name: 'b' }] } };
  const annotations = annotationsFor(pod, { as: 'CrashLoopBackOff', exitCode: 137 }, new Date(0));
  const line = annotations[SET_STATUS]?.split('\n').find((field) => field.startsWith('containerStatuses: ')) ?? '';
  const statuses = JSON.parse(line.slice('containerStatuses: '.length)) as readonly object[];
  expect(statuses).toHaveLength(2);
  expect(statuses[1]).toMatchObject({
    ready: false,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated: { exitCode: 137 } },
  });
});

describe('the tools', () => {
  test('lie in a cache that SLUICE_CACHE or XDG_CACHE_HOME may move', () => {
    expect(cacheDir('etcd', { SLUICE_CACHE: '/c' })).toMatch(/^\/c\/tools\/etcd-[0-9a-f]{16}$/);
    expect(cacheDir('node/minio', { XDG_CACHE_HOME: '/x' })).toMatch(/^\/x\/sluice\/tools\/node-minio-[0-9a-f]{16}$/);
  });

  test('come from KUBEBUILDER_ASSETS where it has them', () => {
    const assets = mkdtempSync(join(tmpdir(), 'assets-'));
    try {
      writeFileSync(join(assets, 'kubectl'), '');
      const env = { KUBEBUILDER_ASSETS: assets, SLUICE_CACHE: '/c' };
      expect(toolPath({ name: 'kubectl', module: 'kube' }, env)).toBe(join(assets, 'kubectl'));
      expect(toolPath({ name: 'kubelet', module: 'kube' }, env)).toMatch(/^\/c\//);
    } finally {
      rmSync(assets, { recursive: true });
    }
  });

  test('are named by the go.mod files, as what `go build` builds', () => {
    for (const { module, package: path } of wantedTools('engines'))
      expect(readFileSync(join(MODULES, module, 'go.mod'), 'utf8')).toContain(path);
  });

  test('of another version of Kubernetes lie elsewhere, and all others where they were', () => {
    const paths = (env: Readonly<Record<string, string>>) =>
      wantedTools('engines').map((tool) => toolPath(tool, { SLUICE_CACHE: '/c', ...env }));
    const usual = paths({});
    expect(paths({ SLUICE_TEST_KUBERNETES: DEFAULT_KUBERNETES })).toEqual(usual);
    const other = paths({ SLUICE_TEST_KUBERNETES: '1.29' }).filter((path) => !usual.includes(path));
    expect(other.map((path) => path.replace(/[0-9a-f]{16}/, '#'))).toEqual(
      ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'].map(
        (name) => `/c/tools/kubernetes-${PATCHES['1.29']}-#/${name}`,
      ),
    );
    expect(() => paths({ SLUICE_TEST_KUBERNETES: '1.28' })).toThrow(/^expected one of 1\.29, 1\.30, .*, found 1\.28$/);
  });

  test('can be of each version that Sluice promises to work on', () => {
    const minors = Object.keys(PATCHES).map((minor) => Number(minor.split('.')[1]));
    expect(minors).toEqual(Array.from({ length: minors.length }, (_, index) => OLDEST_MINOR + index));
    for (const [minor, patch] of Object.entries(PATCHES)) expect(patch).toMatch(new RegExp(`^${minor}\\.\\d+$`));
  });

  test('are of the default version by a lock, and of another by what Kubernetes itself requires', () => {
    expect(readFileSync(join(MODULES, 'kube/go.mod'), 'utf8')).toContain(`require k8s.io/kubernetes v${PATCHES[DEFAULT_KUBERNETES]}\n`);
    const own =
      'module k8s.io/kubernetes\n\ngo 1.21\n\nrequire (\n\tk8s.io/api v0.0.0\n\tk8s.io/klog/v2 v2.110.1\n)\n\nreplace k8s.io/api => ./staging\n';
    expect(moduleFor('1.29', own)).toBe(
      `module sluice.dev/tools/kubernetes\n\ngo 1.21\n\nrequire (\n\tk8s.io/kubernetes v1.29.15\n\tk8s.io/api v0.29.15\n)\n`,
    );
  });

  test.for([
    ['go1.26.8', 26],
    ['go1.24rc1', 24],
    ['go1.9', 9],
    ['', 0],
    ['devel', 0],
  ] as const)('Go %s is 1.%i', ([version, minor]) => expect(goMinor(version)).toBe(minor));
});

describe('the lock', () => {
  const parent = mkdtempSync(join(tmpdir(), 'lock-'));
  const dir = join(parent, 'lock');
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  test('waits for its holder', async () => {
    const unlock = await lock(dir, () => {});
    let waited = false;
    const second = lock(dir, () => {
      waited = true;
      unlock();
    });
    (await second)();
    expect(waited).toBe(true);
  });

  test('is taken from a holder that died', async () => {
    await lock(dir, () => {});
    utimesSync(dir, new Date(0), new Date(0));
    const unlock = await lock(dir, () => expect.unreachable('no living process holds it'));
    unlock();
  });
});
