/**
 * A control plane for each worker: two controllers on one would wait for each other's Lease. With SLUICE_USE_CLUSTER=1 all
 * use the cluster of KUBECONFIG instead, one file after the other.
 */
import type { TestProject } from 'vitest/node';
import { type Cluster, startControlPlane, useExistingCluster } from '../../harness/index.ts';
import type { ClusterUnderTest } from '../support/test-cluster.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { KUBECONFIG, SLUICE_USE_CLUSTER } = process.env;
  const simulated = SLUICE_USE_CLUSTER !== '1';
  if (!simulated && KUBECONFIG === undefined) throw new Error('SLUICE_USE_CLUSTER=1 needs KUBECONFIG: the cluster to test against');
  const start = () => (simulated ? startControlPlane({ nodes: 3 }) : useExistingCluster(KUBECONFIG ?? ''));
  const started = await Promise.allSettled(Array.from({ length: simulated ? project.config.maxWorkers : 1 }, start));
  const clusters = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const stop = async () => void (await Promise.all(clusters.map((cluster) => cluster.stop())));
  const failed = started.find((each) => each.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const handle = ({ server, kubeconfig, dir, kubectlPath }: Cluster): ClusterUnderTest => ({
    server,
    kubeconfig,
    dir,
    kubectlPath,
    simulated,
  });
  project.provide('clusters', clusters.map(handle));
  return stop;
}
