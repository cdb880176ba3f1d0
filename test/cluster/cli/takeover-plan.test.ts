/** `sluice takeover plan` against a real API server, on a Dataset as Fluid left it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createClient, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../../src/kube/kubeconfig/kubeconfig.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { SharedControlPlane } from '../../../harness/index.ts';
import { sluice } from '../../cli/run.ts';
import { kinds, type Kind } from '../../support/kinds.ts';
import { createSpace, installCrds, type Space } from '../../support/sluice.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';
import { GOLDENS, hasGoldens } from '../../upstream/cases.ts';

const GOLDEN = 'thin/plain-min';
const NAMESPACE = 'g-thin-plain-min';
const KINDS = ['Dataset', 'ThinRuntime', 'DaemonSet', 'ConfigMap', 'PersistentVolumeClaim'] as const;

describe.skipIf(!simulated || !hasGoldens)('before a take-over', () => {
  let plane: SharedControlPlane;
  let client: KubeClient;
  let space: Space;
  beforeAll(async () => {
    plane = sharedControlPlane();
    await installCrds(plane);
    client = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'ddc-helm' });
    // A namespace of its own: other files have the one of the golden.
    space = await createSpace(plane, client, 'plan');
    await asFluidLeftIt();
  });
  afterAll(async () => {
    // No controller would remove them.
    for (const kind of ['Dataset', 'ThinRuntime'] as const) await space?.patch(kind, 'demo', { metadata: { finalizers: null } });
    await plane?.kubectl('delete', 'namespace', space.namespace, '--wait=false');
    await plane?.kubectl('delete', 'persistentvolume', `${space.namespace}-demo`, '--wait=false');
    await client?.close();
  });

  const documents = (file: string, uids: ReadonlyMap<string, string>): readonly KubeObject[] =>
    parseAllDocuments(
      readFileSync(join(GOLDENS, GOLDEN, file), 'utf8')
        .replaceAll(NAMESPACE, space.namespace)
        .replaceAll(/<uid:([^>]*)>/g, (_, ref: string) => uids.get(ref) ?? ''),
    ).flatMap((document) => (document.toJS() as KubeObject | null) ?? []);

  async function asFluidLeftIt(): Promise<void> {
    const uids = new Map<string, string>();
    for (const object of documents('input.yaml', uids)) await plane.kubectlApply(JSON.stringify(object));
    for (const kind of ['Dataset', 'ThinRuntime'] as const) uids.set(`${kind}/demo`, (await space.get(kind, 'demo')).metadata.uid ?? '');
    for (const { kind, metadata, status } of documents('status.yaml', uids)) {
      await space.patch(kind as Kind, metadata.name, { metadata: { finalizers: metadata.finalizers, labels: metadata.labels } });
      await space.patch(kind as Kind, metadata.name, { status }, 'status');
    }
    for (const { metadata, ...object } of documents('objects.yaml', uids)) {
      if (!(object.kind in kinds)) continue;
      const { finalizers: _, ...kept } = metadata;
      await space.create({ ...object, metadata: kept } as KubeObject);
    }
  }

  const versions = async () =>
    (await Promise.all(KINDS.map((kind) => space.list(kind))))
      .flat()
      .map(({ kind, metadata }) => [kind, metadata.name, metadata.resourceVersion]);
  const plan = (...flags: readonly string[]) =>
    sluice(['takeover', 'plan', '--kubeconfig', plane.kubeconfig, '-n', space.namespace, '--fluid-namespace', space.namespace, ...flags]);

  test('each object has a line, nothing has to be decided, and nothing is written', async () => {
    const before = await versions();
    const { code, stdout, stderr } = await plan();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('1 Dataset: 1 Bound.\n1 runtime: 1 ThinRuntime.\n');
    expect(stdout).toContain('No pod restarts or ends, and no mount is lost.\n');
    expect(stdout).toContain(`\nThinRuntime ${space.namespace}/demo\n`);
    expect(stdout).toMatch(new RegExp(`^ {2}DaemonSet ${space.namespace}/demo-fuse: adopted, changes in place: template`, 'm'));
    expect(stdout).toMatch(new RegExp(`^ {2}PersistentVolumeClaim ${space.namespace}/demo: adopted as it is$`, 'm'));
    expect(stdout).toMatch(/Nothing has to be decided\.\nRead and compared in \d+\.\d s\.\n$/);
    expect(await versions()).toEqual(before);
  });

  test('programs read the same as JSON', async () => {
    const { code, stdout } = await plan('-o', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { datasets: { Bound: 1 }, runtimes: { ThinRuntime: 1 }, harmed: 0 },
      decisions: [],
      groups: [{ of: `ThinRuntime ${space.namespace}/demo` }],
      seconds: expect.any(Number) as unknown,
    });
  });

  test('a Deployment that a GitOps tool applies is a decision: exit code 1', async () => {
    const labels = { 'control-plane': 'dataset-controller' };
    const owner = { 'kustomize.toolkit.fluxcd.io/name': 'fluid', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };
    const containers = [{ name: 'manager', image: 'example.io/dataset-controller:v1.0.8' }];
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'dataset-controller', namespace: space.namespace, labels: { ...labels, ...owner } },
      spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    };
    await plane.kubectlApply(JSON.stringify(deployment));
    const { code, stdout } = await plan();
    await space.kubectl('delete', 'deployment', 'dataset-controller');
    expect(code).toBe(1);
    expect(stdout).toContain(`Fluid v1.0.8 in namespace ${space.namespace}.\n`);
    expect(stdout).toContain('! Kustomization flux-system/fluid of Flux: nothing can be read of it');
  });

  test('a cluster that does not answer is an error: exit code 2', async () => {
    const { code, stderr } = await sluice(['takeover', 'plan', '--kubeconfig', '/nowhere']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('expected a kubeconfig at /nowhere') as unknown });
  });
});
