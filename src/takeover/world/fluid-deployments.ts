/** Pieces of steps about Fluid's Deployments. */
import type { KubeObject } from '../../kube/types.ts';
import { some } from '../../planning/some.ts';
import type { FluidDeployment } from '../fluid/installation.ts';
import { Deployment } from '../fluid/names.ts';
import { type Contribution, seen } from '../steps/step.ts';
import { ENDS_MS, STARTS_MS } from '../steps/waits.ts';
import type { World } from './world.ts';

/** The webhook goes on admitting pods until Sluice's does. */
export const controllersOf = ({ fluid }: World): readonly FluidDeployment[] => fluid.deployments.filter(({ role }) => role !== 'webhook');
export const webhooksOf = ({ fluid }: World): readonly FluidDeployment[] => fluid.deployments.filter(({ role }) => role === 'webhook');

/** Scales these to 0, and waits until no pod of theirs exists. */
export function stopped(deployments: readonly FluidDeployment[]): Contribution | undefined {
  const running = deployments.filter(({ replicas }) => replicas > 0);
  if (running.length > 0) return { actions: running.map(({ object }) => ({ do: 'scale', object: seen(Deployment, object), replicas: 0 })) };
  const unseen = deployments.filter(({ object }) => !isSeen(object));
  const pods = deployments.flatMap((deployment) => deployment.pods);
  const late = [
    ...unseen.map(({ name }) => `Deployment ${name} is scaled`),
    ...pods.map(({ name, node }) => `pod ${name}${node === undefined ? '' : ` on ${node}`} ends`),
  ];
  return late.length > 0 ? { waitsFor: some(late), withinMs: ENDS_MS } : undefined;
}

/** A Deployment whose controller has not seen the scale may yet create a pod. */
function isSeen({ metadata: { generation = 0 }, status }: FluidDeployment['object']): boolean {
  const { observedGeneration = 0, replicas = 0 } = (status ?? {}) as { readonly observedGeneration?: number; readonly replicas?: number };
  return observedGeneration >= generation && replicas === 0;
}

/** Scales these up to what they had. More, as Fluid itself scales its controllers, is left. */
export function started(deployments: readonly FluidDeployment[], wanted: (name: string) => number): Contribution | undefined {
  const low = deployments.filter(({ name, replicas }) => replicas < wanted(name));
  if (low.length > 0)
    return { actions: low.map(({ name, object }) => ({ do: 'scale', object: seen(Deployment, object), replicas: wanted(name) })) };
  const late = deployments.filter(({ name, pods }) => pods.filter(({ isReady }) => isReady).length < wanted(name));
  return late.length > 0 ? { waitsFor: `${some(late.map(({ name }) => name))} ready`, withinMs: STARTS_MS } : undefined;
}

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
