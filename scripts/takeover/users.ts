/** The objects of users that are taken over: Datasets of all kinds in ten namespaces, and what their runtimes name. */
import { cacheClass, profile, secret } from '../../bench/companions.ts';
import { KINDS } from '../../bench/kinds.ts';
import { pair } from '../../bench/objects.ts';
import type { Wanted } from '../../harness/takeover/datasets.ts';
import type { KubeObject } from '../../src/kube/types.ts';

const NAMESPACES = 10;

export function users(count: number): Wanted {
  const pairs = Array.from({ length: count }, (_, i) => pairAt(i));
  const namespaces = new Set(pairs.map(({ dataset }) => dataset.metadata.namespace ?? ''));
  const secrets = [...namespaces].map(
    (namespace): KubeObject => ({ ...secret, metadata: { ...secret.metadata, namespace } }) as KubeObject,
  );
  return { companions: [profile, privileged(cacheClass), ...secrets], pairs };
}

const pairAt = (i: number) => pair(KINDS[i % KINDS.length] ?? 'thin', `data-${i % NAMESPACES}`, `d${String(i).padStart(4, '0')}`);

interface Topology {
  readonly client: { readonly template: { readonly spec: { readonly containers: readonly object[] } } };
}

/** Fluid gives the client's mount both ways to the node, which the API server allows to privileged containers alone. Sluice does so itself. */
function privileged(object: KubeObject): KubeObject {
  // The cast: a CacheRuntimeClass has this in place of a spec.
  const { topology } = object as KubeObject & { readonly topology: Topology };
  const containers = topology.client.template.spec.containers.map((each) => ({ ...each, securityContext: { privileged: true } }));
  return { ...object, topology: { ...topology, client: { template: { spec: { containers } } } } };
}
