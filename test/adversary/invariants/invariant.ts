import type { KubeObject } from '../../../src/kube/types.ts';
import type { World } from '../world.ts';

/** Whom the victim allows to use its Datasets, by name; and whom it allowed when a watch began to stand still: the controller cannot know more. */
export type Grants = (dataset: string, namespace: string) => boolean;

/** What must hold of a cluster after each action, whatever the attacker did; each returns what does not, in words. */
export type Invariant = (world: World, isGranted: Grants) => readonly string[];

export const claimsIn = ({ server }: World, namespaces: readonly string[]): readonly KubeObject[] =>
  server.all('PersistentVolumeClaim').filter(({ metadata: { namespace } }) => namespaces.includes(namespace ?? ''));
