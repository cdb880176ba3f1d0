/** Fluid on a real node, installed by helm with its own chart. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_NAMESPACE as NAMESPACE } from '../../src/install/fluid.ts';
import type { FluidBuild } from '../fluid/build.ts';
import { installChart } from '../fluid/install.ts';
import type { ControlPlane, RealNode } from '../index.ts';
import { FLUID_TAG, fluidImageNames } from './images.ts';

/** Returns when all of Fluid's pods run. */
export async function installFluid(build: FluidBuild, plane: ControlPlane, node: RealNode): Promise<void> {
  const values = join(node.dir, 'fluid-values.json');
  writeFileSync(values, JSON.stringify(chartValues(node)));
  // The node has the machine's /etc, in which the chart would make two files.
  const renderer = join(node.dir, 'off-the-machine.sh');
  writeFileSync(renderer, `#!/bin/sh\nexec sed 's#path: /etc/updatedb.conf#path: ${node.dir}/updatedb.conf#'\n`);
  chmodSync(renderer, 0o755);
  await plane.kubectl('create', 'namespace', NAMESPACE);
  await installChart(build, { kubeconfig: plane.kubeconfig, home: node.dir }, ['--values', values, '--post-renderer', renderer]);
  await fluidRuns(plane);
}

async function fluidRuns(plane: ControlPlane): Promise<void> {
  for (const workload of ['daemonset/csi-nodeplugin-fluid', ...CONTROLLERS.map((name) => `deployment/${name}`)])
    await plane.kubectl('rollout', 'status', '-n', NAMESPACE, workload, '--timeout=240s');
}

const CONTROLLERS = [
  'dataset-controller',
  'thinruntime-controller',
  'juicefsruntime-controller',
  'alluxioruntime-controller',
  'fluidapp-controller',
  'fluid-webhook',
];

function chartValues(node: RealNode) {
  const image = (imageName: string) => {
    if (!fluidImageNames.includes(imageName)) throw new Error(`no image ${imageName}`);
    return { imagePrefix: 'localhost', imageName, imageTag: FLUID_TAG };
  };
  const runtime = (name: string) => ({ enabled: true, controller: image(`${name}runtime-controller`) });
  return {
    crdUpgrade: { enabled: false },
    dataset: { controller: image('dataset-controller') },
    fluidapp: { controller: image('application-controller') },
    webhook: image('fluid-webhook'),
    runtime: { mountRoot: node.mountRoot, alluxio: runtime('alluxio'), juicefs: runtime('juicefs'), thin: runtime('thin') },
    csi: {
      plugins: image('fluid-csi'),
      registrar: { imagePrefix: 'localhost', imageName: 'csi-node-driver-registrar', imageTag: FLUID_TAG },
      kubelet: {
        kubeConfigFile: join(node.dir, 'kubelet.kubeconfig'),
        certDir: join(node.kubeletDir, 'pki'),
        rootDir: node.kubeletDir,
      },
    },
  };
}
