import type { CustomResource } from '../../api/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import type { KubeObject } from '../../kube/types.ts';
import { checkRights, readsOf } from '../fluid/reads.ts';
import { observe } from '../world/observe.ts';
import type { Run } from '../steps/step.ts';
import type { Target } from '../world/world.ts';
import { readPolicies } from '../try/fence.ts';
import { createOnce } from '../world/once.ts';
import { type FluidRelease, readUsers, type Users } from '../world/users.ts';
import type { BackWorld } from './world.ts';

const NONE: Users = {
  datasets: [],
  runtimes: [],
  operations: [],
  companions: [],
  statefulSets: [],
  releases: [],
  configMaps: [],
};

/**
 * Returns a function that reads the cluster for the way back. Objects of users are read only while no controller runs, when `back` changes
 * them, or if asked for. The function throws Stopped when a right is missing.
 */
export function observerOfBack(
  client: KubeClient,
  target: Target,
  resources: readonly CustomResource[],
): (run: Run, options?: { readonly withUsers?: boolean }) => Promise<BackWorld> {
  const once = createOnce<FluidRelease | undefined>();
  return async (run, { withUsers = false } = {}) => {
    const world = await observe(client, target, run, { withWorkloads: true });
    const isQuiet =
      world.sluice.controller.length === 0 && world.fluid.deployments.every(({ role, replicas }) => role === 'webhook' || replicas === 0);
    const reads = readsOf(client);
    const users = withUsers || isQuiet ? await readUsers(reads, resources, world.fluid.release, once) : NONE;
    const fence = await readPolicies(reads);
    checkRights(reads.missing());
    return {
      ...world,
      users,
      fence,
      pluginCounts: countsOf(world.fluid.nodePlugin?.object),
      isCertificateSluices: isWrittenBySluice(world.fluid.webhook.secret),
    };
  };
}

function countsOf(set: KubeObject | undefined): BackWorld['pluginCounts'] {
  if (!set) return undefined;
  const { observedGeneration = 0, desiredNumberScheduled = 0, numberReady = 0 } = (set['status'] ?? {}) as Readonly<Record<string, number>>;
  return {
    isSeen: observedGeneration >= (set.metadata.generation ?? 0) && observedGeneration > 0,
    wanted: desiredNumberScheduled,
    ready: numberReady,
  };
}

/** Whether Sluice's webhook has written the contents of the Secret. */
function isWrittenBySluice(secret: Pick<KubeObject, 'metadata'> | undefined): boolean {
  // The cast: the API server writes these entries.
  const entries = (secret?.metadata.managedFields ?? []) as readonly {
    readonly manager?: string;
    readonly fieldsV1?: { readonly 'f:data'?: object };
  }[];
  return entries.some(({ manager, fieldsV1 }) => manager === CERTIFICATE_MANAGER && fieldsV1?.['f:data'] !== undefined);
}
const CERTIFICATE_MANAGER = 'sluice-webhook';
