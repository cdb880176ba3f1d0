import type { ClaimFact } from '../constructs/index.ts';
import type { KubeObject } from '../kube/types.ts';

/** The keys of a Secret or ConfigMap, sorted. */
export const dataKeys = ({ data, binaryData }: KubeObject): readonly string[] =>
  Object.keys({ ...(data as object | undefined), ...(binaryData as object | undefined) }).toSorted();

/** The facts that a plan may have of a bound claim and its volume. threat-model: R-claim */
export function claimFact(claim: KubeObject, volume: KubeObject): ClaimFact {
  const { csi, mountOptions } = volume['spec'] as { csi?: ClaimFact['csi']; mountOptions?: readonly string[] };
  const annotated = volume.metadata.annotations?.['volume.beta.kubernetes.io/mount-options'];
  return {
    uid: claim.metadata.uid ?? '',
    volume: volume.metadata.name,
    ...(csi && { csi }),
    mountOptions: mountOptions ?? annotated?.split(',') ?? [],
  };
}
