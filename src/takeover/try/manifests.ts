/** The manifests of a try, from the values of an installation: pure. */
import type { CustomResource, Manifest } from '../../api/index.ts';
import type { Runtime } from '../../constructs/index.ts';
import { type InstallOptions, installationOf, settled } from '../../install/index.ts';
import { labels } from '../../install/labels.ts';
import { type FluidInstallation } from '../fluid/installation.ts';
import { fluidNames } from '../fluid/names.ts';
import { NAMESPACES } from '../steps/pod-view.ts';
import { Binding, FENCE, Policy } from './policies.ts';
import { CONTROLLER } from './world.ts';

/** The values and parts of an installation. */
export interface TryInstallation {
  readonly values: InstallOptions;
  /** The image of this version. */
  readonly image: string;
  readonly resources: readonly CustomResource[];
  readonly runtimes: readonly Runtime[];
  readonly furtherRuntimes: boolean;
}

/** The manifests of CRDs, and of a controller of these namespaces. */
export function tryManifests(
  { values, image, resources, runtimes, furtherRuntimes }: TryInstallation,
  { system, namespaces }: { readonly system: string; readonly namespaces: readonly string[] },
): { readonly crds: readonly Manifest[]; readonly controller: readonly Manifest[] } {
  const { controller = {} } = values;
  const args = [...(controller.args ?? []), NAMESPACES, namespaces.join()];
  const options = settled({ ...values, namespace: system, controller: { ...controller, args } }, image, { furtherRuntimes });
  const all = installationOf(options, { resources, runtimes });
  const isOfController = ({ kind, metadata }: Manifest): boolean =>
    metadata.labels?.['app.kubernetes.io/component'] === 'controller' || (kind === 'ResourceQuota' && metadata.namespace === system);
  return {
    crds: all.filter(({ kind }) => kind === 'CustomResourceDefinition'),
    controller: [...readerOfFence(system), ...all.filter(isOfController)],
  };
}

/** The controller reads the policy, to end when it is gone. */
function readerOfFence(system: string): readonly Manifest[] {
  const [rbac, name] = ['rbac.authorization.k8s.io', FENCE];
  const metadata = { name, labels: labels('controller') };
  return [
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata,
      rules: [{ apiGroups: [Policy.group], resources: [Policy.plural, Binding.plural], verbs: ['get'], resourceNames: [FENCE] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: CONTROLLER, namespace: system }],
    },
  ] as unknown as readonly Manifest[];
}

/** User names of Fluid's controllers: those of the chart, and those under which its Deployments run. The node plugin and the webhook go on. */
export function usersOf({ namespace, deployments }: FluidInstallation): readonly string[] {
  const accounts = deployments
    .filter(({ role }) => role !== 'webhook')
    .map(({ object }) => (object['spec'] as { template?: { spec?: { serviceAccountName?: string } } }).template?.spec?.serviceAccountName);
  const known = [...fluidNames.controllers, fluidNames.goosefs, fluidNames.applications];
  return [...new Set([...known, ...accounts.filter((account) => account !== undefined)])]
    .toSorted()
    .map((account) => `system:serviceaccount:${namespace}:${account}`);
}
