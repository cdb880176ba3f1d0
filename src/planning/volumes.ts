/** Readers of a volume. Only the controller writes volumes, so all of it can be relied on. */
import { csiDriver, label, ownerUid } from '../api/index.ts';
import type { KubeObject } from '../kube/types.ts';
import { type Key, keyText } from './key.ts';

/** The Dataset of a volume, which has the claim's name. Its parts are empty without a claim. threat-model: R-volume */
export function claimedBy(volume: KubeObject): Key {
  const { claimRef } = (volume['spec'] ?? {}) as { readonly claimRef?: Partial<Key> };
  return { namespace: claimRef?.namespace ?? '', name: claimRef?.name ?? '' };
}

/** The driver that mounts a volume. threat-model: R-volume */
export const driverOf = ({ spec }: KubeObject): string | undefined => (spec as { csi?: { driver?: string } } | undefined)?.csi?.driver;

/** The Dataset to which a volume refers, if that is not its own. threat-model: R-leads-to */
export function targetOf({ metadata: { labels } }: KubeObject): Key | undefined {
  const { [label.referringNamespace]: namespace, [label.referringName]: name } = labels ?? {};
  return namespace && name ? { namespace, name } : undefined;
}

/**
 * Every Dataset other than its own whose data a volume shows: the one that it refers to, and the one whose clients serve it, where that is
 * another one. They were two while a Dataset that another one refers to could begin to refer to a third.
 */
export function targetsOf(volume: KubeObject): readonly Key[] {
  const { servedBy } = (volume['spec'] ?? {}) as { readonly servedBy?: Key };
  const target = targetOf(volume);
  return [
    ...(target ? [target] : []),
    ...(servedBy && keyText(servedBy) !== (target && keyText(target)) && keyText(servedBy) !== keyText(claimedBy(volume))
      ? [servedBy]
      : []),
  ];
}

/** The Dataset whose clients serve a volume, by its CSI attributes: they are copied with the volume, and Kubernetes lets nobody change them. */
export function servedBy({ runtime_namespace: namespace, runtime_name: name }: Readonly<Record<string, string>>): Key | undefined {
  return namespace && name ? { namespace, name } : undefined;
}

/** Whether Fluid has set up this volume for a Dataset that refers to another one, and nobody has taken it over. */
export function isFluidsReference(volume: KubeObject, user: Key, to: Key): boolean {
  const { csi } = (volume['spec'] ?? {}) as { csi?: { driver?: string; volumeAttributes?: Readonly<Record<string, string>> } };
  const server = servedBy(csi?.volumeAttributes ?? {});
  const isOurs = ownerUid(volume) !== undefined;
  return (
    !isOurs && csi?.driver === csiDriver && keyText(claimedBy(volume)) === keyText(user) && !!server && keyText(server) === keyText(to)
  );
}

/**
 * The directory on nodes to which a volume leads, by its CSI attributes.
 * @example
 * directoryOf({ fluid_path: '/mnt/images', fluid_sub_path: './train/' }); // → '/mnt/images/train'
 */
export function directoryOf({ fluid_path: path = '', fluid_sub_path: below = '' }: Readonly<Record<string, string>>): string {
  const parts = `${path}/${below}`.split('/').filter((part) => part !== '' && part !== '.');
  return `/${parts.join('/')}`;
}
