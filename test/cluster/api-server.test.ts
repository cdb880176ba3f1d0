/** What the API server in memory claims is what a real one does. */
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { createClient, type KubeClient } from '../../src/kube/client.ts';
import { connectionFromKubeconfig } from '../../src/reconciler/kubernetes/kubeconfig.ts';
import { apiServerSuite, type Subject } from '../kube/api-server.suite.ts';
import { unique } from '../kube/api-server/objects.ts';
import { sharedControlPlane, simulated } from '../support/cluster.ts';
import { kinds } from '../support/kinds.ts';
import { installCrds } from '../support/sluice.ts';

// Pods that run and nodes whose taints may change are those of a cluster of our own.
describe.skipIf(!simulated)('a real API server', () => {
  let subject: Subject;
  const clients: KubeClient[] = [];
  const namespaces: string[] = [];

  beforeAll(async () => {
    const plane = sharedControlPlane();
    await installCrds(plane);
    const connection = await connectionFromKubeconfig(plane.kubeconfig);
    const client = (fieldManager: string) => {
      const made = createClient(connection, { fieldManager });
      clients.push(made);
      return made;
    };
    const admin = client('admin');
    subject = {
      client,
      async namespace() {
        const name = unique('api');
        await admin.create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
        namespaces.push(name);
        return name;
      },
      eventually: (check) => vi.waitFor(check, { timeout: 100_000, interval: 40 }),
    };
  });
  afterAll(async () => {
    for (const name of namespaces) await clients[0]?.delete(kinds.Namespace, { name }).catch(() => {});
    await Promise.all(clients.map((client) => client.close()));
  });

  apiServerSuite(() => subject);
});
