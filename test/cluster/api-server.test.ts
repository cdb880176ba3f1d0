/** The claims of the API server in memory hold for a real one. */
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { apiServerSuite, type Subject } from '../api-server/suite.ts';
import { unique } from '../api-server/suite/objects.ts';
import { type WireSubject, wireSubject } from '../api-server/suite/wire-subject.ts';
import { sharedControlPlane, simulated } from '../support/test-cluster.ts';
import { kinds } from '../support/kinds.ts';
import { installCrds } from '../support/sluice.ts';

// Pods that run and nodes whose taints may change are those of a cluster of our own.
describe.skipIf(!simulated)('a real API server', () => {
  let subject: Subject;
  let wire: WireSubject;
  const namespaces: string[] = [];

  beforeAll(async () => {
    const plane = sharedControlPlane();
    await installCrds(plane);
    wire = wireSubject(connectionFromKubeconfig([plane.kubeconfig]));
    const { admin } = wire;
    subject = {
      ...wire,
      async namespace() {
        const name = unique('api');
        await admin.create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
        namespaces.push(name);
        // The ConfigMap comes by itself, also to clients that watch ConfigMaps.
        await subject.eventually(() => admin.get(kinds.ConfigMap, { namespace: name, name: 'kube-root-ca.crt' }));
        return name;
      },
      eventually: (check) => vi.waitFor(check, { timeout: 100_000, interval: 40 }),
      // The server sends one by itself, shortly before a watch ends.
      bookmark: () => {},
    };
  });
  afterAll(async () => {
    for (const name of namespaces) await wire.admin.delete(kinds.Namespace, { name }).catch(() => {});
    await wire.close();
  });

  apiServerSuite(() => subject);
});
