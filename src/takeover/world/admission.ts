/** Whether the API server would admit the pods of Sluice: a quota or a policy may refuse a pod whose Deployment it accepts. */
import type { Manifest } from '../../api/index.ts';
import { ApiError, isForbidden, isInvalid } from '../../kube/errors.ts';
import type { KubeClient } from '../../kube/contract.ts';
import type { KubeObject } from '../../kube/types.ts';
import { Pod } from '../../planning/kinds.ts';
import type { PartName, RefusedPods } from './parts.ts';
import type { SluiceInstallation, Target } from './world.ts';

/** The ServiceAccounts that the pods of these parts run as. Without its account, each pod would be refused. */
export const accountsOf = ({ parts }: Pick<Target, 'parts'>, of: readonly PartName[] = WITH_PODS): readonly Manifest[] =>
  of.flatMap((part) => parts.get(part) ?? []).filter(({ kind }) => kind === 'ServiceAccount');

const WITH_PODS = ['nodePlugin', 'controller', 'webhook'] as const;

/** Whether a ServiceAccount of the installation exists. */
export const hasAccount = ({ objects }: Pick<SluiceInstallation, 'objects'>, account: string): boolean =>
  objects.some(({ type, name }) => type.kind === 'ServiceAccount' && name === account);

/**
 * Creates a pod of each part as a dry run. Parts without their accounts are left out.
 * @param exists whether the ServiceAccount of this name exists
 */
export async function refusedPods(client: KubeClient, target: Target, exists: (account: string) => boolean): Promise<RefusedPods> {
  const asked = WITH_PODS.filter((part) => accountsOf(target, [part]).every(({ metadata: { name } }) => exists(name))).flatMap((part) =>
    (target.parts.get(part) ?? []).flatMap((manifest) => podOf(manifest) ?? []).map((pod) => ({ part, pod })),
  );
  const answers = await Promise.all(
    asked.map(async ({ part, pod }) => {
      const why = await client.create(Pod, pod, { dryRun: true }).then(() => undefined, whyRefused);
      return why === undefined
        ? []
        : [[part, `the API server refuses the pod of ${pod.metadata.name.replace(ENDING, '')}: ${why}`] as const];
    }),
  );
  return new Map(answers.flat());
}

const ENDING = '-dry-run';

/** undefined: the answer says nothing about the pod, such as that of a webhook which has no dry run. */
function whyRefused(error: unknown): string | undefined {
  if (isForbidden(error) || isInvalid(error)) return error.body?.message ?? error.message;
  if (error instanceof ApiError && error.status === 400) return undefined;
  throw error;
}

/** The pod that a Deployment or a DaemonSet would create. */
function podOf({ kind, metadata, spec }: Manifest & { readonly spec?: unknown }): KubeObject | undefined {
  if (kind !== 'Deployment' && kind !== 'DaemonSet') return undefined;
  // The cast: both have a template.
  const { template } = spec as { readonly template: { readonly metadata?: object; readonly spec: object } };
  const name = `${metadata.name}${ENDING}`;
  return {
    apiVersion: 'v1',
    kind: Pod.kind,
    metadata: { ...template.metadata, name, namespace: metadata.namespace },
    spec: template.spec,
  } as KubeObject;
}
