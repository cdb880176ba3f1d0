/** The page on a real API server, which reviews real tokens and rights. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { auditMark, auditSince } from '../../harness/control-plane/audit.ts';
import { type ControlPlane, startControlPlane } from '../../harness/index.ts';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { GROUP, operationKinds, VERSION } from '../../src/api/index.ts';
import { crdOf } from '../../src/api/crd.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { DatasetView, EditPreview, Fleet, NodeView } from '../../src/ui/wire.ts';
import { sluice } from '../cli/run.ts';
import { asked, granted, type Rule, refused } from '../install/used.ts';
import { type ControllerProcess, endProcesses, startCommand } from '../support/controller-process.ts';
import { INSTALL_FLAGS } from '../support/kubernetes.ts';
import { established } from '../support/sluice.ts';
import { simulated } from '../support/test-cluster.ts';
import { ask, own, signIn, stream } from '../ui/requests.ts';

const NAMESPACE = 'fluid-system';
const apiVersion = `${GROUP}/${VERSION}`;
const meta = (namespace: string, name: string) => ({ namespace, name });

describe.skipIf(!simulated)('sluice ui on a real API server', () => {
  let plane: ControlPlane;
  let ui: ControllerProcess;
  let port = 0;
  const apply = (...objects: readonly object[]) => plane.kubectlApply(objects.map((each) => stringify(each)).join('---\n'));
  const token = async (account: string, namespace: string) => (await plane.kubectl('create', 'token', account, '-n', namespace)).trim();

  async function kubeconfigWith(bearer: string): Promise<string> {
    const config = JSON.parse(await plane.kubectl('config', 'view', '--raw', '--flatten', '-o', 'json')) as { users: object[] };
    const path = join(plane.dir, `ui-${process.hrtime.bigint()}.kubeconfig`);
    writeFileSync(path, JSON.stringify({ ...config, users: config.users.map((user) => ({ ...user, user: { token: bearer } })) }), {
      mode: 0o600,
    });
    return path;
  }

  /** Two teams, each with a Dataset that no runtime serves, and in `ml` one of each kind. */
  async function fill(): Promise<void> {
    for (const team of ['ml', 'zebra']) {
      await plane.kubectl('create', 'namespace', team);
      await apply(
        {
          apiVersion,
          kind: 'Dataset',
          metadata: meta(team, `${team}-images`),
          spec: { mounts: [{ mountPoint: 's3://bucket', name: 'x' }] },
        },
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta(team, 'viewer') },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: meta(team, 'viewer'),
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
          subjects: [{ kind: 'ServiceAccount', name: 'viewer', namespace: team }],
        },
      );
    }
    const target = { dataset: { name: 'ml-images', namespace: 'ml' } };
    const specs: Readonly<Record<string, object>> = {
      DataProcess: { dataset: { ...target.dataset, mountPath: '/data' }, processor: { script: { image: 'example.io/p', source: 'ls' } } },
      DataMigrate: { to: target, from: { externalStorage: { uri: 'pvc://a/b' } } },
      DataBackup: { dataset: 'ml-images', backupPath: 'pvc://backups/x' },
    };
    for (const { kind } of operationKinds) await apply({ apiVersion, kind, metadata: meta('ml', 'work'), spec: specs[kind] ?? target });
    for (const { resource } of runtimes) {
      const { required = [] } = (
        crdOf(resource) as unknown as {
          spec: { versions: [{ schema: { openAPIV3Schema: { properties: { spec: { required?: string[] } } } } }] };
        }
      ).spec.versions[0].schema.openAPIV3Schema.properties.spec;
      const spec = Object.fromEntries(required.map((field) => [field, 'x']));
      await apply({ apiVersion, kind: resource.kind, metadata: meta('ml', 'ml-images'), spec });
    }
  }

  beforeAll(async () => {
    plane = await startControlPlane({ nodes: 2, audit: true });
    const { stdout } = await sluice(['install', '--image', 'sluice:a', '--values', '-', ...INSTALL_FLAGS], {
      input: 'ui: { enabled: true }',
    });
    const file = join(plane.dir, 'install.yaml');
    writeFileSync(file, stdout);
    await plane.kubectl('apply', '--server-side', '-f', file);
    await established(plane);
    await fill();
    const kubeconfig = await kubeconfigWith(await token('sluice-ui', NAMESPACE));
    ui = startCommand(['ui', '--in-cluster', '--kubeconfig', kubeconfig, '--port', '0', '--metrics-addr', '0']);
    await ui.says('serving the page');
    port = (JSON.parse(ui.lines.find((line) => line.includes('serving the page')) ?? '{}') as { port: number }).port;
  });
  afterAll(async () => {
    await endProcesses();
    await plane?.stop();
  });

  const fleetOf = async (headers: Readonly<Record<string, string>>) => {
    const answer = await ask(port, '/api/fleet', { headers });
    expect({ status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({ status: 200, text: '' });
    return answer;
  };

  test('installs a page whose pod the strictest level of Pod Security admits', async () => {
    await plane.kubectl('rollout', 'status', '-n', NAMESPACE, 'deployment/sluice-ui', '--timeout=60s');
    const { spec } = JSON.parse(await plane.kubectl('get', 'deployment/sluice-ui', '-n', NAMESPACE, '-o', 'json')) as {
      spec: { template: { spec: object } };
    };
    await plane.kubectl('create', 'namespace', 'restricted');
    await plane.kubectl('label', 'namespace', 'restricted', 'pod-security.kubernetes.io/enforce=restricted');
    const pod = join(plane.dir, 'pod.json');
    writeFileSync(
      pod,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: meta('restricted', 'tried'),
        spec: { ...spec.template.spec, serviceAccountName: 'default' },
      }),
    );
    await expect.poll(() => plane.kubectl('create', '--dry-run=server', '-f', pod).catch(String)).toContain('created');
  });

  test('a ServiceAccount that may view one namespace sees that one, also in what changes, and no name of another', async () => {
    const headers = await signIn(port, await token('viewer', 'ml'));
    const { text } = await fleetOf(headers);
    const { datasets, operations, viewer, version } = JSON.parse(text) as Fleet;
    expect(viewer).toMatchObject({ name: 'system:serviceaccount:ml:viewer', namespaces: ['ml'] });
    expect(viewer.hidden).toEqual(expect.arrayContaining(['nodes', 'csinodes']));
    expect(datasets).toMatchObject([{ namespace: 'ml', name: 'ml-images' }]);
    expect(operations.map(({ kind }) => kind).toSorted()).toEqual(['DataBackup', 'DataLoad', 'DataMigrate', 'DataProcess']);
    expect(text).not.toContain('zebra');
    const changes = stream(port, `/api/changes?from=${version}`, headers);
    const label = (team: string, value: string) => plane.kubectl('label', 'dataset', `${team}-images`, '-n', team, `x=${value}`);
    await label('zebra', 'a');
    await label('ml', 'a');
    await expect.poll(() => JSON.stringify(changes.messages)).toContain('ml-images');
    expect(JSON.stringify(changes.messages)).not.toContain('zebra');
    changes.request.destroy();
    expect((await ask(port, '/api/datasets/ml/ml-images', { headers })).json<DatasetView>().explanations[0]).toMatchObject({
      object: 'Dataset ml/ml-images',
      healthy: false,
    });
    expect((await ask(port, '/api/datasets/zebra/zebra-images', { headers })).status).toBe(404);
  });

  test('its preview of an edit goes with its own token, which may write nothing here', async () => {
    const headers = await signIn(port, await token('viewer', 'ml'));
    const runtime = { apiVersion, kind: 'ThinRuntime', metadata: meta('ml', 'ml-images'), spec: { profileName: 'none' } };
    const mark = auditMark(plane);
    const answer = await ask(port, '/api/preview/ml/ml-images', {
      method: 'POST',
      headers: { ...headers, ...own },
      body: stringify(runtime),
    });
    expect(answer.status).toBe(200);
    expect(answer.json<EditPreview>().faults.join()).toMatch(/ThinRuntimeProfile|profile/i);
    const theirs = auditSince(plane, mark, 'system:serviceaccount:ml:viewer');
    expect(asked(theirs).size).toBeGreaterThan(0);
    expect([...asked(theirs)].filter((each) => /secrets/.test(each))).toEqual([]);
  });

  test('one who may view the cluster sees all teams and the nodes', async () => {
    await plane.kubectl('create', 'serviceaccount', 'all', '-n', 'ml');
    await apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'everything' },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }],
    });
    await plane.kubectl('create', 'clusterrolebinding', 'all', '--clusterrole=everything', '--serviceaccount=ml:all');
    const headers = await signIn(port, await token('all', 'ml'));
    const fleet = (await fleetOf(headers)).json<Fleet>();
    expect(fleet.datasets.map(({ namespace }) => namespace).toSorted()).toEqual(['ml', 'zebra']);
    expect(fleet.viewer).toMatchObject({ hidden: [] });
    expect((await ask(port, '/api/nodes', { headers })).json<readonly NodeView[]>()).toMatchObject([
      { name: 'node-0', ready: true },
      { name: 'node-1', ready: true },
    ]);
  });

  test('no token of another audience, and none that is made up, signs anybody in', async () => {
    const other = (await plane.kubectl('create', 'token', 'viewer', '-n', 'ml', '--audience=vault')).trim();
    for (const wrong of [other, 'made-up', `${await token('viewer', 'ml')}x`])
      expect((await ask(port, '/api/session', { method: 'POST', headers: own, body: JSON.stringify({ token: wrong }) })).status).toBe(401);
  });

  test('grants the page what it asks for, and nothing else', async () => {
    const events = auditSince(plane, 0, `system:serviceaccount:${NAMESPACE}:sluice-ui`);
    expect(refused(events)).toEqual([]);
    const role = JSON.parse(await plane.kubectl('get', 'clusterrole', 'sluice-ui', '-o', 'json')) as KubeObject & {
      readonly rules: readonly Rule[];
    };
    const used = asked(events);
    expect(granted(role.rules).filter((right) => !used.has(right))).toEqual([]);
  });
});
