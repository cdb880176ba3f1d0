/** A dataset of a kind as a real API server keeps it once our controller has bound it: what thousands are copied from. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecCall } from '../../src/playground/engines/exec-call.ts';
import { freePorts } from '../../harness/control-plane/ports.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { bundled, startController } from '../controller.ts';
import { BENCHED, COMPANIONS, type Kind, WIDE_PORTS } from '../kinds.ts';
import { createAll, type Lab, nameOf, until } from '../lab.ts';
import { paths } from '../objects.ts';

export interface Sample {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  /** Everything of the dataset, by plural. */
  readonly objects: Readonly<Record<string, readonly KubeObject[]>>;
  /** Commands that were run in its pods. */
  readonly commands: readonly ExecCall[];
}
export interface Samples {
  /** Copied by turns. */
  readonly kinds: readonly Sample[];
  readonly node: KubeObject;
  /** By plural. */
  readonly companions: Readonly<Record<string, KubeObject>>;
}

/** Further flags of the controller of the bench: caches of thousands are not asked every minute, and all have host ports. */
export const FLAGS = ['--probe-interval', '0', ...WIDE_PORTS];

/** The figure of a Dataset until its files are counted. */
const CALCULATING = '[Calculating]';

export async function takeSamples(lab: Lab, kinds: readonly Kind[]): Promise<Samples> {
  await bundled();
  const [metricsPort = 0] = await freePorts(1);
  const controller = startController({ kubeconfig: lab.kubeconfig, metricsPort, flags: FLAGS });
  const made: { readonly kind: Kind; readonly namespace: string }[] = [];
  try {
    await controller.leading();
    for (const kind of kinds) {
      const namespace = await lab.namespace();
      made.push({ kind, namespace });
      await createAll(lab, [kind], namespace, 1);
      await until(`the sample of ${kind} is as it will stay`, 120, async () => {
        const { status } = (await lab.user.send('GET', `${paths.datasets(namespace)}/${nameOf(0)}`)) as {
          status?: { phase?: string; ufsTotal?: string };
        };
        return status?.phase === 'Bound' && status.ufsTotal !== CALCULATING;
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
  const companions = COMPANIONS.map(
    async ({ plural, object }) => [plural, await lab.user.send('GET', `${paths.companions(plural)}/${object.metadata.name}`)] as const,
  );
  return { kinds: samples, node: node!, companions: Object.fromEntries(await Promise.all(companions)) };
}

async function sampleOf(lab: Lab, kind: Kind, namespace: string): Promise<Sample> {
  const core = (plural: string) => paths.core(namespace, plural);
  const where: Readonly<Record<string, string>> = {
    datasets: paths.datasets(namespace),
    [BENCHED[kind].plural]: paths.runtimes(kind, namespace),
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
  const commands = await lab.plane.exec.calls({ namespace });
  return { kind, namespace, name: nameOf(0), objects: Object.fromEntries(await Promise.all(found)), commands };
}
