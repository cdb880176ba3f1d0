/** `sluice uninstall` in front of an API server that has what each test says; on a real one: test/cluster/install.test.ts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Manifest } from '../../../src/api/index.ts';
import { type InstallOptions, installationOf, settled } from '../../../src/install/index.ts';
import { resources } from '../../../runtimes/_resources.gen.ts';
import { runtimes } from '../../../runtimes/_all.gen.ts';
import { folder } from '../folder.ts';
import { sluice } from '../run.ts';

const installed = (namespace: string, options: InstallOptions = {}): readonly Manifest[] =>
  installationOf(settled({ ...options, namespace }, 'registry.example/sluice:1'), { resources, runtimes });
const lease = (namespace: string): Manifest => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'sluice', namespace },
});
const unlabelled = (manifest: Manifest): Manifest => ({ ...manifest, metadata: { ...manifest.metadata, labels: { app: 'other' } } });

const pathOf = ({ kind, metadata: { namespace, name } }: Manifest): string => {
  const word = kind.toLowerCase();
  const plural = word.endsWith('y') ? `${word.slice(0, -1)}ies` : word.endsWith('s') ? `${word}es` : `${word}s`;
  return `${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}/${name}`;
};
const nameOf = ({ kind, metadata: { namespace, name } }: Manifest): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

/** Runs it where these objects exist; returns what was left too. */
async function uninstall(objects: readonly Manifest[], ...flags: readonly string[]) {
  const there = new Map(objects.map((each) => [pathOf(each), { ...each, metadata: { uid: 'u', resourceVersion: '1', ...each.metadata } }]));
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]?.replace(/^\/apis?\/(?:[a-z.0-9]+\.[a-z.0-9]+\/|apps\/|policy\/)?v\w+/, '') ?? '';
    const object = there.get(path);
    if (request.method === 'DELETE') there.delete(path);
    const [, plural = ''] = path.split('/');
    const isList = path.split('/').length === 2;
    const items = [...there.values()].filter(
      (each) => pathOf(each).includes(`/${plural}/`) && each.metadata.labels?.['app.kubernetes.io/name'] === 'sluice',
    );
    if (!isList && !object) response.statusCode = 404;
    response.end(
      JSON.stringify(
        isList ? { metadata: { resourceVersion: '1' }, items } : (object ?? { kind: 'Status', reason: 'NotFound', message: 'no' }),
      ),
    );
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const cluster = `{ name: c, cluster: { server: "http://127.0.0.1:${port}" } }`;
  const files = folder({ config: `clusters: [${cluster}]\ncontexts: [{ name: x, context: { cluster: c } }]\ncurrent-context: x\n` });
  const { code, stdout, stderr } = await sluice(['uninstall', '--kubeconfig', `${files}/config`, ...flags]);
  return { code, stdout, stderr, left: [...there.values()].map(nameOf) };
}

const all = (objects: readonly Manifest[]): readonly string[] => objects.map(nameOf);
const isNamespace = ({ kind }: Manifest) => kind === 'Namespace';

test('deletes what is in the namespace that it is given, and the Lease', async () => {
  const { code, stderr, left } = await uninstall([...installed('data'), lease('data')], '-n', 'data');
  expect({ code, stderr, left }).toEqual({ code: 0, stderr: '', left: all(installed('data').filter(isNamespace)) });
});

test('deletes the configuration of validations first, which only some installations have', async () => {
  const objects = installed('fluid-system', { webhook: { validation: true } });
  const { stdout, left } = await uninstall(objects);
  expect(stdout.split('\n')[0]).toBe('deleted ValidatingWebhookConfiguration sluice-validation');
  expect(left).toEqual(all(objects.filter(isNamespace)));
});

test.each([
  ['rights', installed('data')],
  ['rights alone', installed('data').filter(({ kind }) => kind === 'ClusterRoleBinding')],
  ['webhook', installed('data').filter(({ kind }) => kind === 'MutatingWebhookConfiguration' || kind === 'CSIDriver')],
  ['workloads, whose rights are gone', installed('data').filter(({ kind }) => !/Cluster|Mutating/.test(kind))],
])('deletes nothing if the %s of the installation are of another namespace, which it names', async (_, objects) => {
  expect(await uninstall(objects)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'sluice: nothing was deleted: Sluice is installed in data, not in fluid-system: --namespace data\n',
    left: all(objects),
  });
});

test('keeps what has the names, but not the labels, and a Lease that nothing shows to be its own', async () => {
  const others = [...installed('fluid-system').map(unlabelled), lease('fluid-system')];
  const { code, stdout, left } = await uninstall(others);
  expect({ code, left }).toEqual({ code: 0, left: all(others) });
  expect(stdout).toContain('kept Deployment fluid-system/sluice-controller: it does not have the labels of an installation\n');
});

test('of an installation that was moved half-way, keeps the rights that are of the other namespace', async () => {
  const isOld = ({ kind, metadata: { name } }: Manifest) => kind === 'ClusterRoleBinding' && name === 'sluice-csi';
  const objects = installed('data').map((each) => (isOld(each) ? (installed('fluid-system').find(isOld) ?? each) : each));
  const { code, stdout, left } = await uninstall(objects, '-n', 'data', '--with-namespace');
  expect({ code, left }).toEqual({ code: 0, left: ['ClusterRoleBinding sluice-csi'] });
  expect(stdout).toContain('kept ClusterRoleBinding sluice-csi: it is of an installation in fluid-system\n');
});

test('says with --dry-run what it would delete and what prevents it, and else deletes nothing', async () => {
  const labels = { 'app.kubernetes.io/name': 'sluice' };
  const dataset = { apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', metadata: { namespace: 'ml', name: 'demo', labels } };
  const objects = [...installed('fluid-system'), dataset];
  const dry = await uninstall(objects, '--dry-run');
  expect({ code: dry.code, left: dry.left }).toEqual({ code: 1, left: all(objects) });
  for (const name of ['Deployment fluid-system/sluice-controller', 'CustomResourceDefinition datasets.data.fluid.io'])
    expect(dry.stdout).toContain(`would delete ${name}\n`);
  const why = 'since these still exist; delete them first:\nsluice:   Dataset ml/demo\n';
  expect(dry.stderr).toBe(`sluice: nothing would be deleted yet, ${why}`);
  expect(await uninstall(objects)).toEqual({ code: 1, stdout: '', stderr: `sluice: nothing was deleted, ${why}`, left: all(objects) });
});

test('says so where nothing is', async () => {
  const nothing = (namespace: string) =>
    `Nothing to delete: neither namespace ${namespace} nor the cluster has a part of an installation.\n`;
  expect(await uninstall([])).toEqual({ code: 0, stdout: nothing('fluid-system'), stderr: '', left: [] });
  expect((await uninstall([], '-n', 'data', '--dry-run')).stdout).toBe(nothing('data'));
});

test('deletes the boards beside Grafana too, and no ConfigMap of others', async () => {
  const objects = installed('fluid-system', { monitoring: { enabled: true, boardNamespace: 'grafana' } });
  const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sluice-board-own', namespace: 'grafana' } };
  const { code, stdout, left } = await uninstall([...objects, theirs]);
  expect({ code, left }).toEqual({ code: 0, left: ['Namespace fluid-system', 'ConfigMap grafana/sluice-board-own'] });
  expect(stdout).toContain('deleted ConfigMap grafana/sluice-board-fleet');
  expect(stdout).toContain('deleted PrometheusRule fluid-system/sluice');
});
