import type { KubeObject } from '../../../kube/types.ts';
import type { Hands } from './hands.ts';

interface VolumeSpec {
  readonly claimRef?: { readonly namespace?: string; readonly name: string; readonly uid?: string };
}
const PROTECTION: Readonly<Record<string, string>> = {
  PersistentVolume: 'kubernetes.io/pv-protection',
  PersistentVolumeClaim: 'kubernetes.io/pvc-protection',
};
// By the API's own rules.
const volumeSpec = (volume: KubeObject): VolumeSpec => volume['spec'] as VolumeSpec;
const phaseOf = (object: KubeObject): string | undefined => (object['status'] as { phase?: string } | undefined)?.phase;

/** The volume controller's word on a volume: whose it is. */
export function bindVolume(hands: Hands, volume: KubeObject): boolean {
  const { claimRef } = volumeSpec(volume);
  const claim = claimRef && hands.get('PersistentVolumeClaim', claimRef.namespace, claimRef.name);
  const isClaimed = claim !== undefined && claim.metadata.uid === claimRef?.uid;
  const claims = (claim?.['spec'] as { volumeName?: string } | undefined)?.volumeName;
  const phase = !claimRef?.uid
    ? 'Available'
    : isClaimed && claims === volume.metadata.name
      ? 'Bound'
      : isClaimed
        ? 'Available'
        : 'Released';
  return phaseOf(volume) !== phase && hands.patch(volume, { status: { phase } }, 'status');
}

/** And on a claim: a volume that it names, or that names it, becomes its own. */
export function bindClaim(hands: Hands, claim: KubeObject): boolean {
  if (claim.metadata.deletionTimestamp && phaseOf(claim) !== 'Bound') return false;
  const { uid, namespace, name } = claim.metadata;
  const { volumeName } = claim['spec'] as { volumeName?: string };
  const wasBound = phaseOf(claim) === 'Bound' || phaseOf(claim) === 'Lost';
  if (!volumeName) {
    const waiting = hands
      .all('PersistentVolume')
      .find(
        (each) =>
          volumeSpec(each).claimRef?.name === name &&
          volumeSpec(each).claimRef?.namespace === namespace &&
          !each.metadata.deletionTimestamp,
      );
    return waiting !== undefined && hands.patch(claim, { spec: { volumeName: waiting.metadata.name } });
  }
  const volume = hands.get('PersistentVolume', undefined, volumeName);
  const claimRef = volume && volumeSpec(volume).claimRef;
  if (volume && !volume.metadata.deletionTimestamp && !claim.metadata.deletionTimestamp && !wasBound) {
    const isFree = claimRef === undefined || (!claimRef.uid && claimRef.name === name && claimRef.namespace === namespace);
    if (isFree)
      return hands.patch(volume, { spec: { claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid } } });
  }
  const phase = claimRef?.uid === uid ? 'Bound' : wasBound ? 'Lost' : 'Pending';
  return phaseOf(claim) !== phase && hands.patch(claim, { status: { phase } }, 'status');
}

/** A volume that is bound, or a claim that pods use, stays until it is free. */
export function unprotect(hands: Hands, object: KubeObject): boolean {
  const { deletionTimestamp, finalizers = [], namespace, name } = object.metadata;
  const protection = PROTECTION[object.kind] ?? '';
  if (!deletionTimestamp || !finalizers.includes(protection)) return false;
  const isUsed =
    object.kind === 'PersistentVolume' ? phaseOf(object) === 'Bound' : hands.all('Pod').some((pod) => uses(pod, namespace, name));
  return !isUsed && hands.patch(object, { metadata: { finalizers: finalizers.filter((each) => each !== protection) } });
}

/** Whether a pod that has not ended names a claim. */
function uses(pod: KubeObject, namespace: string | undefined, claim: string): boolean {
  const { volumes = [] } = pod['spec'] as { volumes?: readonly { persistentVolumeClaim?: { claimName?: string } }[] };
  const names = volumes.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim);
  return pod.metadata.namespace === namespace && names && !['Succeeded', 'Failed'].includes(phaseOf(pod) ?? '');
}
