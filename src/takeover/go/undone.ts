import type { FluidDeployment } from '../fluid/installation.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { World } from './world.ts';

/** Who scaled these up, and what to pause: a line each. */
export const undoers = ({ fluid }: World, deployments: readonly FluidDeployment[]): readonly string[] => [
  ...deployments
    .filter(({ replicas }) => replicas > 0)
    .map(
      ({ name, replicas, object }) =>
        `${replicasBy(object) ?? 'another client'} scaled Deployment ${fluid.namespace}/${name} to ${replicas}`,
    ),
  ...fluid.gitOps
    .filter(({ isPaused }) => isPaused !== true)
    .map(({ tool, kind, name, pause }) => `${tool} applies it from a repository, ${kind} ${name}; pause that: ${pause}`),
];

interface Managed {
  readonly manager?: string;
  readonly time?: string;
  readonly fieldsV1?: { readonly 'f:spec'?: { readonly 'f:replicas'?: object } };
}

/** The field manager that wrote `spec.replicas` last. */
function replicasBy({ metadata }: KubeObject): string | undefined {
  // The cast: the API server writes these entries.
  const entries = (metadata.managedFields ?? []) as readonly Managed[];
  const writers = entries
    .filter(({ fieldsV1 }) => fieldsV1?.['f:spec']?.['f:replicas'])
    .toSorted((a, b) => (a.time ?? '').localeCompare(b.time ?? ''));
  return writers.at(-1)?.manager;
}
