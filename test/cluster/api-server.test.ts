/** What the API server in memory claims is what a real one does. */
import { afterAll, beforeAll, describe, onTestFinished, vi } from 'vitest';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { apiServerSuite, type Subject } from '../kube/api-server.suite.ts';
import { CRD, definitionOf } from '../kube/api-server/definitions.ts';
import { unique } from '../kube/api-server/objects.ts';
import { sharedControlPlane, simulated } from '../support/test-cluster.ts';
import { kinds } from '../support/kinds.ts';
import { installCrds } from '../support/sluice.ts';
import { admissionWebhook } from '../support/webhook.ts';

// Pods that run and nodes whose taints may change are those of a cluster of our own.
describe.skipIf(!simulated)('a real API server', () => {
  let subject: Subject;
  const clients: KubeClient[] = [];
  const namespaces: string[] = [];

  beforeAll(async () => {
    const plane = sharedControlPlane();
    await installCrds(plane);
    const connection = connectionFromKubeconfig([plane.kubeconfig]);
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
        // It comes by itself, also to clients that watch ConfigMaps.
        await subject.eventually(() => admin.get(kinds.ConfigMap, { namespace: name, name: 'kube-root-ca.crt' }));
        return name;
      },
      eventually: (check) => vi.waitFor(check, { timeout: 100_000, interval: 40 }),
      async webhook(type, namespace, sample, review) {
        onTestFinished(await admissionWebhook(admin, type, namespace, sample, review));
      },
      async install(type) {
        await admin.create(CRD, definitionOf(type));
      },
      uninstall: ({ plural, group }) => admin.delete(CRD, { name: `${plural}.${group}` }),
      // It does so by itself, shortly before a watch ends.
      bookmark: () => {},
    };
  });
  afterAll(async () => {
    for (const name of namespaces) await clients[0]?.delete(kinds.Namespace, { name }).catch(() => {});
    await Promise.all(clients.map((client) => client.close()));
  });

  apiServerSuite(() => subject);
});
