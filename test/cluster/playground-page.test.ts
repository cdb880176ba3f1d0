/** The page of the playground, typed to a real API server: what it shows is no property of the one in memory. */
import { dirname, join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/index.ts';
import { root } from '../cli/run.ts';
import { followPage } from '../docs/playground-page.ts';
import { endProcesses, startProcess } from '../support/controller-process.ts';
import { established } from '../support/sluice.ts';
import { simulated } from '../support/test-cluster.ts';

describe.skipIf(!simulated)('the page of the playground', () => {
  let plane: ControlPlane;
  followPage(async () => {
    // A control plane of its own, since the page lists all volumes of a cluster.
    plane = await startControlPlane({ nodes: 3 });
    await plane.kubectl('apply', '--server-side', '-f', join(root, 'crds'));
    await established(plane);
    await startProcess(plane.kubeconfig).says('leading');
    return { command: 'sh', folders: [dirname(plane.kubectlPath)], env: { KUBECONFIG: plane.kubeconfig } };
  });
  afterAll(async () => {
    await endProcesses();
    await plane?.stop();
  });
});
