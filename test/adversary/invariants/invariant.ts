import type { KubeObject } from '../../../src/kube/types.ts';
import type { World } from '../world.ts';

/**
 * The grants of the victim, by name of a Dataset; and those at the time when a watch began to stand still: the controller cannot know more.
 */
export type Grants = (dataset: string, namespace: string) => boolean;

/** A rule that must hold after each action of the attacker; it returns the violations, in words. */
export type Invariant = (world: World, isGranted: Grants) => readonly string[];

export const claimsIn = ({ server }: World, namespaces: readonly string[]): readonly KubeObject[] =>
  server.all('PersistentVolumeClaim').filter(({ metadata: { namespace } }) => namespaces.includes(namespace ?? ''));
