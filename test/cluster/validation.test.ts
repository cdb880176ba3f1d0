/** `kubectl apply` on a real API server that asks `sluice webhook --validate`. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { webhookNames } from '../../src/api/webhook-names.ts';
import { validationEntry } from '../../src/install/webhook-entries.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { VALIDATION_CONFIGURATION } from '../../src/webhook/certificates/configuration.ts';
import { type ControlPlane, startControlPlane } from '../../harness/index.ts';
import { root, sluice } from '../cli/run.ts';
import { endProcesses } from '../support/controller-process.ts';
import { kinds } from '../support/kinds.ts';
import * as write from '../support/objects.ts';
import { established, eventually } from '../support/sluice.ts';
import { simulated } from '../support/test-cluster.ts';
import { startWebhook, type WebhookProcess } from '../support/webhook-process.ts';

const NAMESPACE = 'fluid-system';
const dataset = (name: string, mountPoint = 'juicefs:///') => write.jfsDataset(name, { mounts: [{ name: 'jfs', mountPoint }] });
const runtime = write.jfsRuntime;
/** An address that the API server stores, and the controller refuses. */
const FAULTY = 's3://bucket/path';

describe.skipIf(!simulated)('an API server that asks sluice webhook --validate', () => {
  let plane: ControlPlane;
  let client: KubeClient;
  let webhook: WebhookProcess;
  beforeAll(async () => {
    plane = await startControlPlane({ nodes: 0 });
    await plane.kubectl('apply', '--server-side', '-f', join(root, 'crds'));
    await established(plane);
    client = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'sluice-tests' });
    await client.create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: webhookNames.secret, namespace: NAMESPACE } };
    await client.create(kinds.Secret, secret as KubeObject);
    webhook = await startWebhook(plane.kubeconfig, undefined, ['--validate']);
    await client.create(VALIDATION_CONFIGURATION.type, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: VALIDATION_CONFIGURATION.type.kind,
      metadata: { name: webhookNames.validation },
      webhooks: [
        {
          ...validationEntry(runtimes),
          clientConfig: { url: `https://localhost:${webhook.port}${webhookNames.validationPath}` },
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
        },
      ],
    } as KubeObject);
    // The API server asks from the moment that it trusts the certificate.
    await eventually(async () => {
      await apply(dataset('probe'));
      expect(await outcomes()).toMatch(/outcome="allowed"} [1-9]/);
      await plane.kubectl('delete', 'dataset', 'probe');
    });
  }, 120_000);
  afterAll(async () => {
    await endProcesses();
    await client?.close();
    await plane?.stop();
  }, 60_000);

  const outcomes = async () =>
    (await webhook.metrics())
      .split('\n')
      .filter((line) => line.startsWith('sluice_webhook_validations_total'))
      .join('\n');
  /** As a user's terminal shows it. */
  function kubectl(
    args: readonly string[],
    input = '',
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
    const argv = [`--kubeconfig=${plane.kubeconfig}`, `--cache-dir=${join(plane.dir, 'kubectl-cache')}`, ...args];
    return new Promise((resolve) => {
      const child = execFile(plane.kubectlPath, argv, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
      child.stdin?.end(input);
    });
  }
  const apply = (...objects: readonly KubeObject[]) => kubectl(['apply', '-f', '-'], objects.map((each) => stringify(each)).join('---\n'));
  /** The faults and warnings of `diff --offline`, without their lines. */
  async function offline(...objects: readonly KubeObject[]): Promise<readonly string[]> {
    const { stderr } = await sluice(['diff', '--offline', '-'], { input: objects.map((each) => stringify(each)).join('---\n') });
    return stderr
      .trim()
      .split('\n')
      .map((line) => line.replace(/^<stdin>:\d+: Dataset \S+: |^warning: /, ''));
  }

  test('refuses a faulty Dataset in the words of diff --offline, once its runtime shows the fault', async () => {
    const [bad, of] = [dataset('faulty', FAULTY), runtime('faulty')];
    expect(await apply(of)).toMatchObject({ code: 0 });
    await eventually(async () => {
      const { code, stderr } = await apply(bad);
      expect(code).toBe(1);
      for (const line of await offline(bad, of)) expect(stderr).toContain(line);
      expect(stderr).toContain('The Dataset "faulty" is invalid');
    });
    expect((await kubectl(['get', 'dataset', 'faulty'])).stderr).toContain('NotFound');
  });

  test('stores a doubtful object, and kubectl prints the doubt as a warning', async () => {
    const [good, doubtful] = [dataset('doubtful'), runtime('doubtful', { fuse: { options: { 'no-such-option': '1' } } })];
    const doubts = await offline(good, doubtful);
    expect(doubts).not.toEqual([]);
    expect(await apply(good)).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout, stderr } = await apply(doubtful);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'juicefsruntime.data.fluid.io/doubtful created\n' });
    for (const line of doubts) expect(stderr).toContain(`Warning: ${line.slice(0, 200)}`);
  });

  test('stores a Dataset and its runtime in either order, and a fault of another object is a warning that names it', async () => {
    expect(await apply(dataset('first', FAULTY))).toMatchObject({ code: 0, stderr: '' });
    const { code, stderr } = await apply(runtime('first'));
    expect(code).toBe(0);
    expect(stderr).toContain('Warning: Dataset default/first: spec.mounts[0].mountPoint: expected');
  });

  test('lets a stored object with a fault be labelled, and deleted with a finalizer', async () => {
    expect(await kubectl(['label', 'dataset', 'first', 'a=b'])).toMatchObject({ code: 0, stderr: '' });
    await kubectl(['patch', 'dataset', 'first', '--type=merge', '-p', '{"metadata":{"finalizers":["example.com/f"]}}']);
    await kubectl(['delete', 'dataset', 'first', '--wait=false']);
    const removed = await kubectl(['patch', 'dataset', 'first', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    expect(removed).toMatchObject({ code: 0, stderr: '' });
  });

  test('refuses an edit that brings a fault, also as a dry run', async () => {
    await apply(dataset('edited'), runtime('edited'));
    const edited = stringify(dataset('edited', FAULTY));
    await eventually(async () => {
      const { code, stderr } = await kubectl(['apply', '--dry-run=server', '-f', '-'], edited);
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('spec.mounts[0].mountPoint: expected') });
    });
  });

  test('stores objects without being told anything while no webhook answers', async () => {
    await webhook.end('SIGKILL');
    expect(await apply(dataset('edited', FAULTY))).toMatchObject({ code: 0, stderr: '' });
  });
});
