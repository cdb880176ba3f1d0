import { datasetCountNodeLabel } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { MADE_BY_ATTACKER } from './rights.ts';
import { reservedFinalizers, where } from './words.ts';
import { A, B, V } from './scene.ts';
import { isVictimsLabel } from './state.ts';
import type { World } from './world.ts';

const isAttackers = ({ metadata: { namespace } }: KubeObject): boolean => namespace === A || namespace === B;

/** Deletes both namespaces of the attacker, as an administrator does, with what the victim still uses there. Returns what is left. */
export async function leftAfterCleanup(world: World): Promise<readonly string[]> {
  const { server } = world;
  for (const kind of ['Pod', 'Dataset'])
    for (const { metadata } of server.all(kind).filter(isAttackers)) server.delete(kind, metadata.namespace, metadata.name);
  server.delete('Pod', V, 'app-borrowed');
  server.delete('Dataset', V, 'borrowed');
  await world.quiet(5_000, 120_000);
  for (let i = 0; i < 2; i++) {
    for (const object of server.all().filter(isAttackers)) {
      server.delete(object.kind, object.metadata.namespace, object.metadata.name);
      withoutForeignFinalizers(world, object);
    }
    await world.quiet(i === 0 ? 5_000 : 65_000, 300_000);
  }
  const left = server.all().filter((object) => isAttackers(object) || (object.kind === 'PersistentVolume' && isOfAttackers(object)));
  const labels = server.all('Node').flatMap(({ metadata }) =>
    Object.keys(metadata.labels ?? {})
      .filter((key) => key.startsWith('fluid.io/') && key !== datasetCountNodeLabel && !isVictimsLabel(key))
      .map((key) => `${metadata.name} ${key}`),
  );
  const keys = [...world.process.store.datasets(), ...[...world.process.store.allRuntimes()].map(({ object }) => object)].filter(
    ({ metadata: { namespace } }) => namespace === A || namespace === B,
  );
  return [
    ...left.map((object) => `${where(object)} is left`),
    ...labels.map((each) => `label ${each} is left`),
    ...keys.map(({ kind, metadata }) => `the store still has ${kind} ${metadata.namespace}/${metadata.name}`),
    ...(world.process.queue.depth > 0 ? [`the queue still has ${world.process.queue.depth} keys`] : []),
  ];
}

const isOfAttackers = (volume: KubeObject): boolean => {
  const { claimRef } = volume['spec'] as { claimRef?: { namespace?: string } };
  return (
    [A, B].includes(claimRef?.namespace ?? '') && volume.metadata.name !== 'provisioned' && !volume.metadata.annotations?.[MADE_BY_ATTACKER]
  );
};

/** The attacker may have written finalizers of ours on what is not ours, which nobody removes but who wrote them. */
function withoutForeignFinalizers({ server }: World, { kind, metadata }: KubeObject): void {
  const object = server.get(kind, metadata.namespace, metadata.name);
  const own = reservedFinalizers.filter(
    (each) => each.startsWith(`${kind.replace('Runtime', '').toLowerCase()}-`) || each.includes(`-${kind.toLowerCase()}-`),
  );
  const kept = object?.metadata.finalizers?.filter((each) => own.includes(each) || each.startsWith('kubernetes.io/'));
  if (!object || !kept || kept.length === object.metadata.finalizers?.length) return;
  const type = server.typeOf(kind);
  server.objects.patch(
    { type, namespace: metadata.namespace, name: metadata.name },
    'merge',
    { metadata: { finalizers: kept } },
    { manager: 'kubectl' },
  );
}
