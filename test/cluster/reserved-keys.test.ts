/** The admission policy of `sluice install --reserved-keys` on a real API server. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/index.ts';
import { annotation, label } from '../../src/api/index.ts';
import { sluice } from '../cli/run.ts';
import { eventually } from '../support/sluice.ts';
import { hasPolicies } from '../support/kubernetes.ts';
import { simulated } from '../support/test-cluster.ts';

const CONTROLLER = 'system:serviceaccount:fluid-system:sluice-controller';
const OWNER = { apiVersion: 'data.fluid.io/v1alpha1', kind: 'ThinRuntime', name: 'images', uid: 'b8b5ad8c-6a39-4f4c-8c33-2c1a51b7b1b6' };

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly object[];
}

describe.skipIf(!simulated || !hasPolicies)('sluice install --reserved-keys', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ nodes: 1 });
    await plane.kubectl('create', 'namespace', 'tenant');
    for (const user of ['tenant', 'restore'])
      await plane.kubectl('create', 'rolebinding', user, '-n', 'tenant', '--clusterrole=edit', `--user=${user}`);
  });
  afterAll(() => plane?.stop());

  async function install(...flags: readonly string[]): Promise<void> {
    const { code, stdout } = await sluice(['install', '--reserved-keys-allow', 'restore', ...flags]);
    expect(code).toBe(0);
    const file = join(plane.dir, 'install.yaml');
    writeFileSync(file, stdout);
    await plane.kubectl('apply', '--server-side', '-f', file);
  }

  const daemonSet = (name: string, metadata: Metadata = {}) => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'tenant', ...metadata },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'a', image: 'a' }], nodeSelector: { none: 'here' } } },
    },
  });
  /** The output of kubectl, on both channels. */
  async function as(user: string, verb: 'create' | 'replace', object: object): Promise<string> {
    const file = join(plane.dir, 'object.json');
    writeFileSync(file, JSON.stringify(object));
    const args = ['--kubeconfig', plane.kubeconfig, `--as=${user}`, verb, '-f', file];
    return new Promise((resolve) => execFile(plane.kubectlPath, args, (_, stdout, stderr) => resolve(stdout + stderr)));
  }

  test('deny: who is not Sluice sets and changes none of the keys', async () => {
    await install('--reserved-keys', 'deny');
    // The API server learns of a policy within moments.
    await eventually(async () =>
      expect(await as('tenant', 'create', daemonSet('probe', { labels: { [label.owner]: OWNER.uid } }))).toContain(
        `only Sluice may write the labels ${label.owner}`,
      ),
    );
    const labels = { [label.owner]: OWNER.uid, [label.referringName]: 'a', team: 'a' };
    expect(await as('tenant', 'create', daemonSet('a', { labels }))).toMatch(
      new RegExp(`only Sluice may write the labels ${label.owner}, ${label.referringName}$`, 'm'),
    );
    expect(await as('tenant', 'create', daemonSet('a', { annotations: { [annotation.sidecar]: '{}' } }))).toMatch(
      new RegExp(`only Sluice may write the annotations ${annotation.sidecar}$`, 'm'),
    );
    expect(await as('tenant', 'create', daemonSet('a', { ownerReferences: [OWNER] }))).toContain(
      'only Sluice may add an owner of data.fluid.io',
    );
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c', namespace: 'tenant', labels: { [label.owner]: 'u' } },
    };
    const spec = { accessModes: ['ReadOnlyMany'], resources: { requests: { storage: '1Gi' } } };
    expect(await as('tenant', 'create', { ...claim, spec })).toContain('only Sluice may write the labels');
  });
  test('deny: all else passes, also on objects of Sluice', async () => {
    expect(await as('tenant', 'create', daemonSet('own', { labels: { team: 'a' } }))).toContain('created');
    const ours: Metadata = {
      labels: { [label.owner]: OWNER.uid },
      annotations: { [annotation.manifestHash]: 'h' },
      ownerReferences: [OWNER],
    };
    expect(await as(CONTROLLER, 'create', daemonSet('ours', ours))).toContain('created');
    expect(await as('tenant', 'replace', daemonSet('ours', { ...ours, labels: { ...ours.labels, team: 'a' } }))).toContain('replaced');
    expect(await as('tenant', 'replace', daemonSet('ours', { ...ours, annotations: { [annotation.manifestHash]: 'x' } }))).toContain(
      'only Sluice may write the annotations',
    );
    expect(await as('tenant', 'replace', daemonSet('ours', { ...ours, labels: {} }))).toContain('only Sluice may write the labels');
    expect(await as('restore', 'create', daemonSet('restored', { labels: { [label.owner]: OWNER.uid } }))).toContain('created');
  });
  test('deny: Jobs of a CronJob of Sluice are created by Kubernetes', async () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } };
    const jobTemplate = { metadata: { labels: { [label.owner]: OWNER.uid } }, spec: { template } };
    const metadata = { name: 'load', namespace: 'tenant', labels: { [label.owner]: OWNER.uid } };
    const cronJob = { apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec: { schedule: '* * * * *', jobTemplate } };
    expect(await as(CONTROLLER, 'create', cronJob)).toContain('created');
    // A schedule begins with the next minute.
    await eventually(
      async () =>
        expect(await plane.kubectl('get', 'jobs', '-n', 'tenant', '-l', `${label.owner}=${OWNER.uid}`, '-o', 'name')).toContain('load'),
      100,
    );
  }, 200_000);
  test('who may edit a namespace sees Datasets there, and writes none', async () => {
    const can = (verb: string, resource: string) =>
      plane.kubectl('auth', 'can-i', verb, resource, '-n', 'tenant', '--as=tenant').then(
        () => true,
        () => false,
      );
    // A controller of Kubernetes adds the role to `edit`.
    await eventually(async () => expect(await can('list', 'datasets.data.fluid.io')).toBe(true));
    expect(await can('create', 'datasets.data.fluid.io')).toBe(false);
    await plane.kubectl('create', 'rolebinding', 'loads', '-n', 'tenant', '--clusterrole=sluice-operations', '--user=tenant');
    await eventually(async () => expect(await can('create', 'dataloads.data.fluid.io')).toBe(true));
    expect(await can('create', 'thinruntimes.data.fluid.io')).toBe(false);
  });
  test('audit: the writer gets a warning', async () => {
    await install('--reserved-keys', 'audit');
    await eventually(async () => {
      const said = await as('tenant', 'create', daemonSet(`audited-${process.hrtime.bigint()}`, { labels: { [label.owner]: OWNER.uid } }));
      expect(said).toContain('created');
      expect(said).toMatch(/Warning: .*only Sluice may write the labels/s);
    });
  });
  test('is gone after sluice uninstall', async () => {
    expect(await sluice(['uninstall', '--kubeconfig', plane.kubeconfig])).toMatchObject({ code: 0 });
    expect(await plane.kubectl('get', 'validatingadmissionpolicies,validatingadmissionpolicybindings', '-o', 'name')).not.toContain(
      'reserved-keys',
    );
  });
});
