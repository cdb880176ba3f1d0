import { webhookNames } from '../../api/webhook-names.ts';
import { DEFAULT_NAMESPACE, FLUID_LEASES } from '../../install/fluid.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { holderOf, LEASE, type Lease } from '../../kube/lease/lease-record.ts';
import { selectorOf } from '../../kube/selector.ts';
import type { KubeObject } from '../../kube/types.ts';
import { ownedKinds, Pod, Secret } from '../../planning/kinds.ts';
import { phaseOf } from '../../planning/views.ts';
import { type PodView, viewOf } from '../steps/pod-view.ts';
import { gitOpsOwners } from './git-ops.ts';
import { readRelease, releaseOf } from './helm.ts';
import type { FluidDeployment, FluidInstallation, FluidLease, FluidNodePlugin, FluidWebhook } from './installation.ts';
import { ClusterRoleBinding, CSIDriver, Deployment, fluidNames, MutatingWebhookConfiguration } from './names.ts';
import { type FluidReader, readsOf } from './reads.ts';

export interface ObserveOptions {
  /** Namespace of Fluid's controllers. Default: that which its ClusterRoleBinding names, else that of its webhook, else `fluid-system`. */
  readonly namespace?: string;
}

/**
 * Reads what of Fluid is installed, by names and labels, in about 30 requests whatever the size of the cluster. What the reader may not see
 * is listed in `missingRights`, and is otherwise as if it did not exist.
 * @throws NoAnswer, and ApiError for an answer other than 403 and 404
 */
export async function observeFluid(client: KubeClient, options: ObserveOptions = {}): Promise<FluidInstallation> {
  const reads = readsOf(client);
  const configuration = await reads.get(MutatingWebhookConfiguration, { name: webhookNames.configuration });
  const namespace = options.namespace ?? (await accountNamespace(reads)) ?? serviceNamespace(configuration) ?? DEFAULT_NAMESPACE;
  const [deployments, nodePlugin, webhook, driver, leases] = await Promise.all([
    readDeployments(reads, namespace),
    readNodePlugin(reads, namespace),
    readWebhook(reads, namespace, configuration),
    reads.get(CSIDriver, { name: fluidNames.driver }),
    readLeases(reads, namespace),
  ]);
  const applied = [
    ...deployments.map(({ object }) => object),
    ...[nodePlugin?.object, webhook.service, webhook.configuration, webhook.profile, driver].filter((each) => each !== undefined),
  ];
  const named = releaseOf(applied);
  const [release, gitOps] = await Promise.all([named && readRelease(reads, named), gitOpsOwners(reads, applied)]);
  return {
    namespace,
    deployments,
    ...(nodePlugin && { nodePlugin }),
    webhook,
    ...(driver && { driver }),
    leases,
    ...(release && { release }),
    gitOps,
    versions: versionsOf([...deployments.map(({ object }) => object), ...(nodePlugin?.object ? [nodePlugin.object] : [])]),
    missingRights: reads.missing(),
  };
}

/** Cluster-scoped, so no tenant can write it: a Deployment of this name may be anywhere. */
async function accountNamespace(reads: FluidReader): Promise<string | undefined> {
  const binding = await reads.get(ClusterRoleBinding, { name: fluidNames.binding });
  const { subjects = [] } = (binding ?? {}) as { readonly subjects?: readonly { readonly name?: string; readonly namespace?: string }[] };
  return subjects.find(({ name }) => name === fluidNames.account)?.namespace;
}

function serviceNamespace(configuration: KubeObject | undefined): string | undefined {
  const { webhooks = [] } = (configuration ?? {}) as {
    readonly webhooks?: readonly { readonly clientConfig?: { readonly service?: { readonly namespace?: string } } }[];
  };
  return webhooks.map(({ clientConfig }) => clientConfig?.service?.namespace).find((each) => each !== undefined);
}

const ROLES: ReadonlyMap<string, FluidDeployment['role']> = new Map([
  ...fluidNames.controllers.map((name) => [name, 'controller'] as const),
  [fluidNames.goosefs, 'other'],
  [fluidNames.applications, 'applications'],
  [fluidNames.webhook, 'webhook'],
]);

async function readDeployments(reads: FluidReader, namespace: string): Promise<readonly FluidDeployment[]> {
  const objects = new Map((await reads.list(Deployment, { namespace })).map((each) => [each.metadata.name, each]));
  const found = [...ROLES].flatMap(([name, role]) => {
    const object = objects.get(name);
    return object ? [{ name, role, object }] : [];
  });
  return Promise.all(
    found.map(async ({ name, role, object }) => ({
      name,
      role,
      replicas: (object['spec'] as { readonly replicas?: number } | undefined)?.replicas ?? 1,
      object,
      pods: await readPods(reads, namespace, selectorOf(object)),
    })),
  );
}

async function readNodePlugin(reads: FluidReader, namespace: string): Promise<FluidNodePlugin | undefined> {
  const object = await reads.get(ownedKinds.DaemonSet, { namespace, name: fluidNames.nodePlugin });
  const pods = await readPods(reads, namespace, object ? selectorOf(object) : `app=${fluidNames.nodePlugin}`);
  return object || pods.length > 0 ? { ...(object && { object }), pods } : undefined;
}

/** Kubernetes keeps pods that were evicted for as long as their workload exists. No container of theirs runs, and none starts again. */
const isAlive = (pod: KubeObject): boolean => phaseOf(pod) !== 'Failed' && phaseOf(pod) !== 'Succeeded';

/** The pods that a selector selects, but for those that have ended. */
export const readPods = async (reads: FluidReader, namespace: string, labelSelector: string): Promise<readonly PodView[]> =>
  (await reads.list(Pod, { namespace, labelSelector })).filter(isAlive).map(viewOf);

async function readWebhook(reads: FluidReader, namespace: string, configuration: KubeObject | undefined): Promise<FluidWebhook> {
  const [service, secret, profile] = await Promise.all([
    reads.get(ownedKinds.Service, { namespace, name: webhookNames.service }),
    reads.get(Secret, { namespace, name: webhookNames.secret }, { metadataOnly: true }),
    reads.get(ownedKinds.ConfigMap, { namespace, name: webhookNames.profile }),
  ]);
  return { ...(service && { service }), ...(configuration && { configuration }), ...(secret && { secret }), ...(profile && { profile }) };
}

async function readLeases(reads: FluidReader, namespace: string): Promise<readonly FluidLease[]> {
  const names = new Set(FLUID_LEASES.values());
  const leases = (await reads.list(LEASE, { namespace })) as readonly Lease[];
  return leases
    .filter(({ metadata }) => names.has(metadata.name))
    .map((object) => ({
      name: object.metadata.name,
      holder: holderOf(object),
      ...(object.spec?.renewTime !== undefined && { renewTime: object.spec.renewTime }),
      object,
    }));
}

/** Tags of the containers that run Fluid's own programs. */
function versionsOf(workloads: readonly KubeObject[]): readonly string[] {
  const images = workloads.flatMap(({ spec }) => {
    const { template } = spec as {
      readonly template?: { readonly spec?: { readonly containers?: readonly { readonly name: string; readonly image?: string }[] } };
    };
    return (template?.spec?.containers ?? []).filter(({ name }) => name === 'manager' || name === 'plugins').map(({ image = '' }) => image);
  });
  return [...new Set(images.flatMap((image) => /:([\w.-]+)(?:@|$)/.exec(image)?.[1] ?? []))].toSorted();
}
