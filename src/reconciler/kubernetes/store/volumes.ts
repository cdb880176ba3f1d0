/** What a volume says. Only the controller writes volumes, so all of it can be relied on. */
import { label } from '../../../api/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { Key } from '../../world.ts';

/** The Dataset of a volume, which has the claim's name. Its parts are empty without a claim. */
export function claimedBy(volume: KubeObject): Key {
  const { claimRef } = (volume['spec'] ?? {}) as { readonly claimRef?: Partial<Key> };
  return { namespace: claimRef?.namespace ?? '', name: claimRef?.name ?? '' };
}

/** The Dataset to which a volume leads, if that is not its own. */
export function targetOf({ metadata: { labels } }: KubeObject): Key | undefined {
  const { [label.referringNamespace]: namespace, [label.referringName]: name } = labels ?? {};
  return namespace && name ? { namespace, name } : undefined;
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
