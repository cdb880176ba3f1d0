/** The cluster of this worker (test/cluster/global-setup.ts), and a namespace of one's own in it. */
import { inject, onTestFinished } from 'vitest';
import {
  type Cluster,
  type ControlPlaneHandle,
  connectControlPlane,
  type SharedControlPlane,
  useExistingCluster,
} from '../../harness/index.ts';

export interface ClusterUnderTest extends ControlPlaneHandle {
  /** Ours, with simulated nodes; false for a user's cluster. */
  readonly simulated: boolean;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** One for each worker. */
    clusters: readonly ClusterUnderTest[];
  }
}

function ofThisWorker(): ClusterUnderTest {
  const clusters = inject('clusters');
  const id = Number(process.env['VITEST_POOL_ID']);
  const found = clusters[id - 1];
  if (!found) throw new Error(`expected a cluster for each worker, found ${clusters.length} for worker ${id}`);
  return found;
}

/** For `describe.skipIf(!simulated)`: what follows needs pods that do what the test says. */
export const simulated = ofThisWorker().simulated;

/** The cluster of this worker: a test control plane, or the developer's own cluster. */
export async function sharedCluster(): Promise<Cluster> {
  const handle = ofThisWorker();
  return handle.simulated ? connectControlPlane(handle) : useExistingCluster(handle.kubeconfig);
}

/** The control plane of this worker, with simulated pods and nodes. */
export function sharedControlPlane(): SharedControlPlane {
  const handle = ofThisWorker();
  if (!handle.simulated) throw new Error(`the cluster at ${handle.server} has no simulated nodes: guard this test with \`simulated\``);
  return connectControlPlane(handle);
}

/** A new namespace that takes pods at once, deleted when the test has finished. */
export async function freshNamespace(cluster: Pick<Cluster, 'get' | 'create' | 'delete'>, prefix = 'test'): Promise<string> {
  const name = `${prefix}-${process.hrtime.bigint().toString(36)}`;
  await cluster.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  onTestFinished(async () => void (await cluster.delete(`/api/v1/namespaces/${name}`)));
  // Pods are refused until the namespace has its default account.
  for (;;) {
    const found = await cluster.get(`/api/v1/namespaces/${name}/serviceaccounts/default`).catch(() => undefined);
    if (found !== undefined) return name;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
