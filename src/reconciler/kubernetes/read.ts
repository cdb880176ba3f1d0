import { Dataset, InvalidSpec, parse, type Resource } from '../../api/index.ts';
import type { Runtime } from '../../constructs/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { Candidate } from '../cluster.ts';
import { equal } from '../merge-patch.ts';
import type { RuntimeObject } from '../world.ts';

type CustomResource = Runtime['resource'];

/** What users wrote, parsed where it is read: a CRD may be older than we are, or be another's. Unknown fields go as the API server would prune them. */
export function createReader() {
  const datasets = new WeakMap<object, Dataset>();
  const faults = new WeakMap<object, InvalidSpec>();
  const companions = new WeakMap<object, Resource | InvalidSpec>();

  return {
    runtime(resource: CustomResource, object: KubeObject): Pick<Candidate, 'object' | 'invalid'> {
      const { spec, invalid } = specOf(resource, object);
      return { object: { ...(object as unknown as RuntimeObject), spec: spec as object }, ...(invalid && { invalid }) };
    },
    dataset(object: KubeObject): Dataset {
      const known = datasets.get(object);
      if (known) return known;
      const { spec, invalid } = specOf(Dataset, object);
      // The cast: it was parsed. Most are as they were parsed, and not kept twice.
      const dataset = (equal(spec, object['spec']) ? object : { ...object, spec }) as unknown as Dataset;
      datasets.set(object, dataset);
      if (invalid) faults.set(dataset, invalid);
      return dataset;
    },
    faultOf: (dataset: Dataset): InvalidSpec | undefined => faults.get(dataset),
    companion(resource: CustomResource, object: KubeObject): Resource {
      const known = companions.get(object) ?? parsed(resource, object);
      companions.set(object, known);
      if (known instanceof InvalidSpec) throw known;
      return known;
    },
  };
}

function specOf(resource: CustomResource, object: KubeObject): { readonly spec: unknown; readonly invalid?: InvalidSpec } {
  const result = parsed(resource, object);
  return result instanceof InvalidSpec ? { spec: object['spec'] ?? {}, invalid: result } : { spec: result.spec };
}

function parsed(resource: CustomResource, object: KubeObject): Resource | InvalidSpec {
  try {
    return parse(resource, object);
  } catch (error) {
    if (error instanceof InvalidSpec) return error;
    throw error;
  }
}
