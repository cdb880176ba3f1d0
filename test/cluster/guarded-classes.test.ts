/** `sluice install` on an API server that guards the priority classes of Kubernetes, as GKE's does. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/index.ts';
import { sluice } from '../cli/run.ts';
import { eventually } from '../support/sluice.ts';
import { INSTALL_FLAGS } from '../support/kubernetes.ts';
import { simulated } from '../support/test-cluster.ts';

/** Pods with these classes need a quota for them in their namespace. */
const GUARDED_CLASSES = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AdmissionConfiguration',
  plugins: [
    {
      name: 'ResourceQuota',
      configuration: {
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'ResourceQuotaConfiguration',
        limitedResources: [
          {
            resource: 'pods',
            matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical', 'system-cluster-critical'] }],
          },
        ],
      },
    },
  ],
};

describe.skipIf(!simulated)('an API server that guards the priority classes of Kubernetes', () => {
  let plane: ControlPlane;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-guarded-'));
  beforeAll(async () => {
    const file = join(folder, 'admission.json');
    writeFileSync(file, JSON.stringify(GUARDED_CLASSES));
    plane = await startControlPlane({ nodes: 1, apiServerArgs: [`--admission-control-config-file=${file}`] });
    const { stdout, stderr } = await sluice(['install', '--image', 'sluice:a', '--daemon', 'efc', ...INSTALL_FLAGS]);
    expect(stderr).toBe('');
    writeFileSync(join(folder, 'install.yaml'), stdout);
    await plane.kubectl('apply', '--server-side', '-f', join(folder, 'install.yaml'));
    await plane.kubectl('label', 'node', 'node-0', 'fluid.io/efc-sessmgr=true');
  });
  afterAll(async () => {
    await plane?.stop();
    rmSync(folder, { recursive: true });
  });

  test.each([
    ['fluid-system', 'deployment/sluice-controller'],
    ['fluid-system', 'deployment/sluice-webhook'],
    ['fluid-system', 'daemonset/sluice-csi'],
    ['efc-system', 'daemonset/efc-sessmgr'],
  ])('starts the pods of %s %s', async (namespace, workload) => {
    await plane.kubectl('rollout', 'status', workload, '-n', namespace, '--timeout=60s');
    // A DaemonSet for no node is rolled out too.
    const pods = () => plane.kubectl('get', 'pods', '-n', namespace, '-o', 'name');
    await eventually(async () => expect(await pods()).toContain(workload.split('/')[1]));
  });

  test('refuses such a pod in a namespace without the quota', async () => {
    const pod = ['run', 'critical', '--image=example.io/x', '--overrides={"spec":{"priorityClassName":"system-node-critical"}}'];
    await expect(plane.kubectl(...pod)).rejects.toThrow('insufficient quota to match these scopes');
  });
});
