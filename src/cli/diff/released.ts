import type { Runtime } from '../../constructs/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { lacksRight } from '../../kube/errors.ts';
import type { ResourceType } from '../../kube/types.ts';
import { workloadType } from '../../planning/kinds.ts';
import { isOurs, type Owned } from '../../planning/owner.ts';
import type { RenderedRuntime } from '../synth/render.ts';
import type { Change } from '../../planning/diff/change.ts';
import { current, nothing, textOf } from './changes.ts';

const STAY = 'would be deleted; its pods stay, and the StatefulSet of its name adopts them';

/** Workloads of Fluid's own kind, in whose place the controller would create StatefulSets. */
export async function releases(
  client: KubeClient,
  rendered: readonly Pick<RenderedRuntime, 'key' | 'object'>[],
  definitions: readonly Runtime[],
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const { key, object } of rendered) {
    const { fluidsWorkloads, workloads } = definitions.find(({ resource }) => resource.kind === object.kind) ?? {};
    if (!fluidsWorkloads || !workloads) continue;
    const { master, worker } = workloads(key.name);
    const owner = { uid: object.metadata.uid ?? '', ...key };
    for (const name of [master, worker]) changes.push(...(await releaseOf(client, workloadType(fluidsWorkloads), owner, name)));
  }
  return changes;
}

async function releaseOf(client: KubeClient, type: ResourceType, owner: Owned, name: string): Promise<readonly Change[]> {
  const called = nothing({ kind: type.kind, metadata: { name, namespace: owner.namespace } });
  try {
    const live = await current(client, type, owner.namespace, name);
    return live && isOurs(live, owner, { isOwner: () => false }) ? [{ ...called, action: 'prune', note: STAY }] : [];
  } catch (error) {
    if (!lacksRight(error)) throw error;
    return [{ ...called, action: 'unknown', note: `is not compared: ${textOf(error)}` }];
  }
}
