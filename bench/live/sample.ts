/** A dataset of a kind as a real API server keeps it once our controller has bound it: what thousands are copied from. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../src/kube/types.ts';
import { freePorts } from '../../harness/control-plane/ports.ts';
import { bundled, startController } from '../controller.ts';
import { createAll, type Lab, nameOf, until } from '../lab.ts';
import { type LiveKind, PLURALS, PROFILE, paths } from '../objects.ts';

export interface Sample {
  readonly kind: LiveKind;
  readonly namespace: string;
  readonly name: string;
  /** Everything of the dataset, by plural. */
  readonly objects: Readonly<Record<string, readonly KubeObject[]>>;
  /** What was run in its pods. */
  readonly commands: readonly (readonly string[])[];
}
export interface Samples {
  /** Copied by turns. */
  readonly kinds: readonly Sample[];
  readonly node: KubeObject;
  readonly profile: KubeObject;
}

/** Further flags of the controller of the bench: caches of thousands are not asked every minute, and all have host ports. */
export const FLAGS = [
  '--probe-interval',
  '0',
  ...['juicefs', 'alluxio'].flatMap((kind) => ['--runtime-node-port-range', `${kind}=10000-65535`]),
];

export async function takeSamples(lab: Lab, kinds: readonly LiveKind[]): Promise<Samples> {
  await bundled();
  const [metricsPort = 0] = await freePorts(1);
  const controller = startController({ kubeconfig: lab.kubeconfig, metricsPort, flags: FLAGS });
  const made: { readonly kind: LiveKind; readonly namespace: string }[] = [];
  try {
    await controller.leading();
    for (const kind of kinds) {
      const namespace = await lab.namespace();
      made.push({ kind, namespace });
      await createAll(lab, kind, namespace, 1);
      await until(`the sample of ${kind} is as it will stay`, 120, async () => {
        const { status } = (await lab.user.send('GET', `${paths.datasets(namespace)}/${nameOf(0)}`)) as {
          status?: { phase?: string; ufsTotal?: string };
        };
        // A ThinRuntime has no probe of its files.
        return status?.phase === 'Bound' && (kind === 'thin' || (status.ufsTotal !== undefined && /\d/.test(status.ufsTotal)));
      });
    }
    await controller.idle();
    await sleep(1000);
  } finally {
    await controller.stop();
  }
  const samples: Sample[] = [];
  for (const { kind, namespace } of made) samples.push(await sampleOf(lab, kind, namespace));
  const [node] = await lab.user.list(paths.nodes);
  return { kinds: samples, node: node!, profile: await lab.user.send('GET', `${paths.profiles}/${PROFILE}`) };
}

async function sampleOf(lab: Lab, kind: LiveKind, namespace: string): Promise<Sample> {
  const core = (plural: string) => paths.core(namespace, plural);
  const where: Readonly<Record<string, string>> = {
    datasets: paths.datasets(namespace),
    [PLURALS[kind]]: paths.runtimes(kind, namespace),
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
  const isOfDataset = ({ metadata: { labels = {} } }: KubeObject) => labels['fluid.io/dataset-id'] === `${namespace}-${nameOf(0)}`;
  const found = Object.entries(where).map(async ([plural, path]) => [plural, (await lab.user.list(path)).filter(isOfDataset)] as const);
  const commands = (await lab.plane.exec.calls({ namespace })).map(({ argv }) => argv);
  return { kind, namespace, name: nameOf(0), objects: Object.fromEntries(await Promise.all(found)), commands };
}
