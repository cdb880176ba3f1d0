/** One control plane for all cluster tests of a run. With SLUICE_USE_CLUSTER=1 it is the cluster of KUBECONFIG instead. */
import type { TestProject } from 'vitest/node';
import { startControlPlane, useExistingCluster } from '../../harness/index.ts';
import type { ClusterUnderTest } from '../support/test-cluster.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { KUBECONFIG, SLUICE_USE_CLUSTER } = process.env;
  const simulated = SLUICE_USE_CLUSTER !== '1';
  if (!simulated && KUBECONFIG === undefined) throw new Error('SLUICE_USE_CLUSTER=1 needs KUBECONFIG: the cluster to test against');
  const cluster = simulated ? await startControlPlane({ nodes: 3 }) : await useExistingCluster(KUBECONFIG ?? '');
  const { server, kubeconfig, dir, kubectlPath } = cluster;
  project.provide('cluster', { server, kubeconfig, dir, kubectlPath, simulated } satisfies ClusterUnderTest);
  return () => cluster.stop();
}
