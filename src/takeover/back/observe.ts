import type { CustomResource } from '../../api/index.ts';
import { webhookNames } from '../../api/webhook-names.ts';
import { type Clock, systemClock } from '../../kube/clock.ts';
import { Secret } from '../../planning/kinds.ts';
import { asWritten } from '../world/record.ts';
import type { KubeClient } from '../../kube/contract.ts';
import type { KubeObject } from '../../kube/types.ts';
import { checkRights, type FluidReader, readsOf } from '../fluid/reads.ts';
import { observe } from '../world/observe.ts';
import type { Run } from '../steps/step.ts';
import type { Target } from '../world/world.ts';
import { readPolicies } from '../try/fence.ts';
import { createOnce } from '../world/once.ts';
import { type FluidRelease, readUsers, type Users } from '../world/users.ts';
import type { BackWorld, CertificateView } from './world.ts';

type Data = Readonly<Record<string, string>>;

/** Looks at the certificate in the data of the webhook's Secret, at a time in ms since the epoch. */
export type Lasting = (
  data: Data | undefined,
  configuration: KubeObject | undefined,
  namespace: string,
  now: number,
) => {
  readonly isTrusted: boolean;
  /** Returns data with a certificate that lasts; absent: the one there does. */
  readonly renew?: () => Promise<Data>;
};

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
  lasting: Lasting,
  { wall }: Pick<Clock, 'wall'> = systemClock,
): (run: Run, options?: { readonly withUsers?: boolean }) => Promise<BackWorld> {
  const once = createOnce<FluidRelease | undefined>();
  const issued = createOnce<Data>();
  return async (run, { withUsers = false } = {}) => {
    const world = await observe(client, target, run, { withWorkloads: true });
    const isQuiet =
      world.sluice.controller.length === 0 && world.fluid.deployments.every(({ role, replicas }) => role === 'webhook' || replicas === 0);
    const reads = readsOf(client);
    const users = withUsers || isQuiet ? await readUsers(reads, resources, world.fluid.release, once) : NONE;
    const fence = await readPolicies(reads);
    const certificate = await certificateOf(reads, world.fluid);
    checkRights(reads.missing());
    return {
      ...world,
      users,
      fence,
      pluginCounts: countsOf(world.fluid.nodePlugin?.object),
      certificate,
    };
  };

  async function certificateOf(reads: FluidReader, { namespace, webhook }: BackWorld['fluid']): Promise<CertificateView> {
    const name = { namespace, name: webhookNames.secret };
    const secret = (await reads.get(Secret, name)) as (KubeObject & { readonly data?: Data }) | undefined;
    const { isTrusted, renew } = lasting(secret && (secret.data ?? {}), webhook.configuration, namespace, wall());
    if (!renew) return { isTrusted };
    const object = secret ? asWritten(secret) : { apiVersion: 'v1', kind: 'Secret', metadata: name };
    const data = { ...secret?.data, ...(await issued(secret ?? object, renew)) };
    return { isTrusted, lasting: { ...object, data } };
  }
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
