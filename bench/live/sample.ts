/** One JuiceFS dataset as a real API server keeps it once our controller has bound it: what thousands are copied from. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../src/kube/types.ts';
import { freePorts } from '../../src/testing/control-plane/ports.ts';
import { bundled, startController } from '../controller.ts';
import { createAll, type Lab, nameOf, until } from '../lab.ts';
import { paths } from '../objects.ts';

export interface Sample {
  readonly namespace: string;
  readonly name: string;
  /** Everything of the dataset, by plural. */
  readonly objects: Readonly<Record<string, readonly KubeObject[]>>;
  readonly node: KubeObject;
}

/** What the controller of the bench is told besides: caches of thousands are not asked every minute, and all have host ports. */
export const FLAGS = ['--probe-interval', '0', '--runtime-node-port-range', 'juicefs=10000-60000'];

export async function takeSample(lab: Lab): Promise<Sample> {
  await bundled();
  const namespace = await lab.namespace();
  const name = nameOf(0);
  const [metricsPort = 0] = await freePorts(1);
  const controller = startController({ kubeconfig: lab.kubeconfig, metricsPort, flags: FLAGS });
  try {
    await controller.leading();
    await createAll(lab, 'juicefs', namespace, 1);
    await until('the sample has counted its files', 120, async () => {
      const { status } = (await lab.user.send('GET', `${paths.datasets(namespace)}/${name}`)) as {
        status?: { phase?: string; ufsTotal?: string };
      };
      return status?.phase === 'Bound' && status.ufsTotal !== undefined && /\d/.test(status.ufsTotal);
    });
    await controller.idle();
    await sleep(1000);
  } finally {
    await controller.stop();
  }
  const core = (plural: string) => paths.core(namespace, plural);
  const where: Readonly<Record<string, string>> = {
    datasets: paths.datasets(namespace),
    juicefsruntimes: paths.runtimes('juicefs', namespace),
    configmaps: core('configmaps'),
    serviceaccounts: core('serviceaccounts'),
    services: core('services'),
    roles: paths.rbac(namespace, 'roles'),
    rolebindings: paths.rbac(namespace, 'rolebindings'),
    statefulsets: paths.apps(namespace, 'statefulsets'),
    daemonsets: paths.apps(namespace, 'daemonsets'),
    persistentvolumes: paths.volumes,
    persistentvolumeclaims: core('persistentvolumeclaims'),
    pods: core('pods'),
  };
  const isOfDataset = ({ metadata: { labels = {} } }: KubeObject) => 'fluid.io/dataset-id' in labels;
  const found = Object.entries(where).map(async ([plural, path]) => [plural, (await lab.user.list(path)).filter(isOfDataset)] as const);
  const [node] = await lab.user.list(paths.nodes);
  return { namespace, name, objects: Object.fromEntries(await Promise.all(found)), node: node! };
}
