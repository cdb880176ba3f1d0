import { type Quantity, quantity, type ResourceRequirements } from '../api/index.ts';
import { must } from './faults.ts';

/**
 * Resources whose memory request is at least `atLeast`, a quantity of bytes: for a container whose cache is in memory.
 * @throws InvalidSpec at `<path>.limits.memory`, when the limit is lower than that.
 * @example
 * withMemory({ requests: { memory: '1Gi' } }, '4Gi', 'spec.worker.resources'); // → { requests: { memory: '4Gi' } }
 */
export function withMemory(resources: ResourceRequirements = {}, atLeast: Quantity | undefined, path: string): ResourceRequirements {
  const { requests, limits } = resources;
  const asked = requests?.['memory'];
  const raised =
    atLeast !== undefined && quantity(atLeast, path) > quantity(asked ?? 0, `${path}.requests.memory`) ? String(atLeast) : asked;
  const limit = limits?.['memory'];
  const fits = !raised || !limit || quantity(raised, path) <= quantity(limit, `${path}.limits.memory`);
  must(fits, `${path}.limits.memory`, `at least ${raised}, as much as is requested or cached in memory`, limit);
  return raised ? { ...resources, requests: { ...requests, memory: raised } } : resources;
}
