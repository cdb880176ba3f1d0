import { cacheNodeLabel, fuseNodeLabel, type Identity, isLabel } from '../../../api/index.ts';
import { fieldsOf, itemsOf, unexpected } from '../../profile/fields.ts';

/** Which labels of nodes say how near a cache is. */
export interface Locality {
  readonly preferred: readonly { readonly name: string; readonly weight: number }[];
  /** The requirements of a Dataset with the label `fluid.io/dataset.<name>.sched: required`. */
  readonly required: readonly string[];
}

const NODE = 'fluid.io/node';
const defaultLocality: Locality = {
  preferred: [
    { name: NODE, weight: 100 },
    { name: 'topology.kubernetes.io/zone', weight: 50 },
    { name: 'topology.kubernetes.io/region', weight: 20 },
  ],
  required: [NODE],
};

/** Names that stand for a label of the Dataset. Every other name is the key of a label that the workers of a runtime require. */
export const labelOfDataset: ReadonlyMap<string, (dataset: Identity) => string> = new Map([
  [NODE, cacheNodeLabel],
  ['fluid.io/fuse', fuseNodeLabel],
]);

/** @throws Error with the place, what was expected and what was found */
export function parseLocality(args: unknown): Locality {
  if (args === undefined || args === null) return defaultLocality;
  const { preferred, required } = fieldsOf(args, 'args', ['preferred', 'required']);
  return {
    preferred: itemsOf(preferred, 'args.preferred').map(([item, where]) => {
      const { name, weight } = fieldsOf(item, where, ['name', 'weight']);
      if (typeof weight !== 'number' || !Number.isInteger(weight) || weight < 1 || weight > 100)
        throw unexpected(`${where}.weight`, 'an integer of 1 to 100', weight);
      return { name: labelKey(name, `${where}.name`), weight };
    }),
    required: itemsOf(required, 'args.required').map(([item, where]) => labelKey(item, where)),
  };
}

function labelKey(value: unknown, where: string): string {
  if (typeof value !== 'string' || !isLabel([value, ''])) throw unexpected(where, 'the key of a label', value);
  return value;
}
