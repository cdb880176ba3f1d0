import { V } from '../scene.ts';
import type { World } from '../world.ts';
import type { Grants } from './invariant.ts';

/** Lists of namespaces, by the name of the victim's Dataset. */
export type Lists = ReadonlyMap<string, readonly string[]>;

/** By its own reading of the annotation: that of the product may be at fault. */
export const listsOf = ({ server }: World): Lists =>
  new Map(
    server
      .all('Dataset')
      .filter(({ metadata: { namespace } }) => namespace === V)
      .map(({ metadata: { name, annotations } }) => [
        name,
        (annotations?.['data.fluid.io/shared-with'] ?? '').split(',').map((each) => each.trim()),
      ]),
  );

/** @param more a list that the controller may still go by */
export const grantsOf =
  (world: World, more?: Lists): Grants =>
  (dataset, namespace) =>
    [listsOf(world), more].some((lists) => lists?.get(dataset)?.includes(namespace));
