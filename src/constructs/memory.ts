import { type Quantity, quantity, type ResourceRequirements } from '../api/index.ts';
import { must } from './faults.ts';

/** Resources whose memory request is at least `atLeast`, for a container that keeps its cache in memory; `path` names them in errors. */
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
