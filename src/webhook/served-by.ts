import { volumeName } from '../api/names.ts';
import type { KnownObjects, KnownDataset } from './known.ts';

/**
 * The Dataset whose runtime serves this one: itself, or the one to which it refers. Its volume says which, since only the controller writes
 * that, after the owner of the other Dataset has consented.
 */
export function servedBy(dataset: KnownDataset, known: KnownObjects): KnownDataset {
  const { identity } = dataset;
  const volume = known.volume(volumeName(identity));
  const { runtime, claim } = volume ?? {};
  if (!runtime || claim?.namespace !== identity.namespace || claim.name !== identity.name) return dataset;
  if (runtime.namespace === identity.namespace && runtime.name === identity.name) return dataset;
  return known.dataset(runtime.namespace, runtime.name) ?? dataset;
}
