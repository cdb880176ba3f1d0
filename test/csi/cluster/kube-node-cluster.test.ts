import { expect, onTestFinished, test } from 'vitest';
import { kubeCluster } from '../../../src/csi/cluster/kube-node-cluster.ts';
import { createClient } from '../../../src/kube/client/kube-client.ts';
import { json, type Step, scriptedServer } from '../../support/scripted-server.ts';

async function given(...script: readonly Step[]) {
  const server = await scriptedServer(script);
  const client = createClient({ server: server.url }, { fieldManager: 'sluice-csi' });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  const warnings: object[] = [];
  const log = { debug() {}, info() {}, warn: (fields: object) => void warnings.push(fields), error() {} };
  return { cluster: kubeCluster({ client, nodeId: 'n', log }), server, warnings };
}
const NAME = { namespace: 'ml', name: 'demo' };
const dataset = json(200, { metadata: { ...NAME, uid: 'u' }, status: { runtimes: [{ type: 'alluxio' }] } });
const refused = (code: number, reason: string) => json(code, { kind: 'Status', code, reason, message: reason });

test('a runtime of a kind that the plugin has no right to read counts as absent, and is logged', async () => {
  const { cluster, server, warnings } = await given(dataset, refused(403, 'Forbidden'));
  await expect(cluster.runtime(NAME)).resolves.toBeUndefined();
  expect(server.requests[1]?.path).toContain('/alluxioruntimes/demo');
  expect(warnings).toEqual([expect.objectContaining({ runtime: NAME })]);
});

test('a runtime of a kind that is not installed counts as absent; any other failure is an error', async () => {
  const { cluster, server } = await given(dataset, refused(404, 'NotFound'));
  await expect(cluster.runtime(NAME)).resolves.toBeUndefined();
  server.play(dataset, refused(401, 'Unauthorized'));
  await expect(cluster.runtime(NAME)).rejects.toThrow('Unauthorized');
});
