import { annotation } from '../../../api/index.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import type { Cluster } from '../../cluster.ts';
import { each } from '../../failures.ts';
import { type ClusterContext, podChoice } from '../cluster-context.ts';
import { Pod } from '../../../planning/kinds.ts';

/** Patches running pods whose configuration changed, so that the kubelet updates their files at once. */
export interface FuseConfig extends Pick<Cluster, 'refresh'> {
  forget(uid: string): void;
}

/** threat-model: R-refresh */
export function createFuseConfig({ client, store, takeover }: Pick<ClusterContext, 'client' | 'store' | 'takeover'>): FuseConfig {
  // UIDs of runtimes with a changed configuration that their pods have not been patched for yet.
  const unrefreshed = new Set<string>();
  return {
    async refresh({ key, runtime, plan, names }, changed) {
      const { uid = '' } = runtime.metadata;
      if (changed) unrefreshed.add(uid);
      if (!unrefreshed.has(uid)) return;
      const { pods } = podChoice({ store, takeover }, key, { workloads: () => names }, uid);
      await each(
        (plan.base.config?.roles ?? []).flatMap(pods).map(({ metadata }) => async () => {
          const count = Number(metadata.annotations?.[annotation.fuseConfigUpdate] ?? 0) + 1;
          const body = { metadata: { annotations: { [annotation.fuseConfigUpdate]: String(count) } } };
          await client.patch(Pod, metadata, body, { type: 'merge' }).catch(ignoreNotFound);
        }),
      );
      unrefreshed.delete(uid);
    },
    forget: (uid) => void unrefreshed.delete(uid),
  };
}
