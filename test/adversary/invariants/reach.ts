import { boundBy, volumeOf } from '../plugin.ts';
import { MADE_BY_ATTACKER } from '../rights.ts';
import { A, B, V } from '../scene.ts';
import { admitted } from '../admissions.ts';
import { claimsIn, type Invariant } from './invariant.ts';

/** `/runtime-mnt/<type>/<namespace>/<name>/…` */
const datasetIn = (path: string): { readonly namespace: string; readonly name: string } | undefined => {
  const [, namespace = '', name = ''] = /^\/runtime-mnt\/[^/]+\/([^/]+)\/([^/]+)(?:\/|$)/.exec(path) ?? [];
  return name === '' ? undefined : { namespace, name };
};
/** The name of the victim's Dataset whose data is there. */
const victimsIn = (path: string): string | undefined => {
  const found = datasetIn(path);
  return found?.namespace === V ? found.name : undefined;
};

/** A bound claim of the attacker leads, in the end, to the victim's data only with a grant that is in force. */
export const volumesHaveGrants: Invariant = (world, isGranted) =>
  claimsIn(world, [A, B]).flatMap((claim) => {
    const { namespace = '', name, deletionTimestamp } = claim.metadata;
    const volume = volumeOf(world.server, namespace, name);
    // A claim that is being deleted serves the pods that have it, and no other. Whoever makes volumes can make one of any directory.
    if (!volume || deletionTimestamp || volume.metadata.annotations?.[MADE_BY_ATTACKER]) return [];
    const dataset = victimsIn(boundBy(volume)?.source ?? '');
    if (dataset === undefined || isGranted(dataset, namespace)) return [];
    return [`claim ${namespace}/${name} leads to ${V}/${dataset} without a grant`];
  });

/** A bound claim of the victim leads to its own Dataset of that name, whoever made volumes for it; or to the one that it has from the attacker. */
export const victimsReadTheirOwn: Invariant = (world) =>
  claimsIn(world, [V]).flatMap(({ metadata: { name } }) => {
    const volume = volumeOf(world.server, V, name);
    if (!volume) return [];
    const found = datasetIn(boundBy(volume)?.source ?? '');
    const isOwn = found?.namespace === V && found.name === name;
    const isBorrowed = name === 'borrowed' && found?.namespace === A && found.name === 'pub';
    return isOwn || isBorrowed ? [] : [`claim ${V}/${name} leads to ${JSON.stringify(found)}, by volume ${volume.metadata.name}`];
  });

/** For all volumes of the attacker, the plugin binds directories of one Dataset, below its own mount root. */
export const bindsAreOfOneDataset: Invariant = ({ plugin }) =>
  plugin.staged.flatMap(({ pod, volume, source }) =>
    datasetIn(source) && !source.split('/').includes('..') ? [] : [`pod ${pod} gets ${source} by volume ${volume}`],
  );

/** No pod of the attacker gets a directory of the victim without a grant. */
export const sidecarsHaveGrants: Invariant = (world, isGranted) =>
  [A, B].flatMap((namespace) => {
    const own = claimsIn(world, [namespace]).map(({ metadata }) => metadata.name);
    return own.flatMap((claim) => {
      const paths = (admitted(world, namespace, claim)?.spec.volumes ?? []).flatMap(({ hostPath }) => hostPath?.path ?? []);
      const datasets = paths.flatMap((path) => victimsIn(path) ?? []).filter((dataset) => !isGranted(dataset, namespace));
      const volume = volumeOf(world.server, namespace, claim);
      const isMade = volume?.metadata.annotations?.[MADE_BY_ATTACKER] !== undefined;
      const isGoing = world.server.get('PersistentVolumeClaim', namespace, claim)?.metadata.deletionTimestamp !== undefined;
      return isMade || isGoing
        ? []
        : datasets.map((dataset) => `a pod of ${namespace} that reads ${claim} gets a directory of ${V}/${dataset}`);
    });
  });
