import type { KubeObject } from '../../kube/types.ts';
import type { ControllerClient } from './client.ts';

interface VolumeSpec {
  readonly claimRef?: { readonly namespace?: string; readonly name: string; readonly uid?: string } | undefined;
}
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const PROTECTION: Readonly<Record<string, string>> = {
  PersistentVolume: 'kubernetes.io/pv-protection',
  PersistentVolumeClaim: 'kubernetes.io/pvc-protection',
};
// By the API's own rules.
const volumeSpec = (volume: KubeObject): VolumeSpec => volume['spec'] as VolumeSpec;
const claimSpec = (claim: KubeObject): { readonly volumeName?: string } => claim['spec'] as { volumeName?: string };
const phaseOf = (object: KubeObject): string | undefined => (object['status'] as { phase?: string } | undefined)?.phase;

/** The volume controller's word on a volume: whose it is. As syncVolume in Kubernetes' pv_controller.go. */
export function syncVolume(client: ControllerClient, volume: KubeObject): boolean {
  const { claimRef } = volumeSpec(volume);
  const become = (phase: string) => phaseOf(volume) !== phase && client.patch(volume, { status: { phase } }, 'status');
  if (!claimRef?.uid) return become('Available');
  const claim = client.get('PersistentVolumeClaim', claimRef.namespace, claimRef.name);
  if (claim?.metadata.uid !== claimRef.uid) return phaseOf(volume) !== 'Failed' && become('Released');
  const wanted = claimSpec(claim).volumeName;
  if (wanted === volume.metadata.name) return become('Bound');
  // Where the claim names none, it is the claim's turn.
  return Boolean(wanted) && client.patch(volume, { spec: { claimRef: { uid: null } } });
}

/** And on a claim, as syncUnboundClaim and syncBoundClaim there. */
export function syncClaim(client: ControllerClient, claim: KubeObject): boolean {
  const { uid, namespace, name, annotations } = claim.metadata;
  const { volumeName } = claimSpec(claim);
  const refersHere = ({ claimRef }: VolumeSpec) => claimRef?.namespace === namespace && claimRef?.name === name;
  const isReserved = (volume: KubeObject) => !volume.metadata.deletionTimestamp && refersHere(volumeSpec(volume));
  const volume = volumeName
    ? client.get('PersistentVolume', undefined, volumeName)
    : client.indexes.volumesByClaim
        .of(`${namespace}/${name}`)
        .find((each) => isReserved(each) && [undefined, uid].includes(volumeSpec(each).claimRef?.uid));
  const claimRef = volume && volumeSpec(volume).claimRef;
  const wasBound = annotations?.[BIND_COMPLETED] !== undefined;
  const isMine = wasBound ? claimRef?.uid === uid : refersHere({ claimRef }) && (!claimRef?.uid || claimRef.uid === uid);
  if (volume && (volumeName || !wasBound) && (!claimRef || isMine)) return bind(client, volume, claim);
  const phase = wasBound ? 'Lost' : 'Pending';
  return phaseOf(claim) !== phase && client.patch(claim, { status: { phase, accessModes: null, capacity: null } }, 'status');
}

/** Four writes, without those that are not needed. */
function bind(client: ControllerClient, volume: KubeObject, claim: KubeObject): boolean {
  const { uid, namespace, name, annotations } = claim.metadata;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid };
  if (volumeSpec(volume).claimRef?.uid !== uid) return client.patch(volume, { spec: { claimRef } });
  if (phaseOf(volume) !== 'Bound') return client.patch(volume, { status: { phase: 'Bound' } }, 'status');
  const volumeName = volume.metadata.name;
  if (claimSpec(claim).volumeName !== volumeName || annotations?.[BIND_COMPLETED] === undefined)
    return client.patch(claim, { metadata: { annotations: { [BIND_COMPLETED]: 'yes' } }, spec: { volumeName } });
  const { accessModes, capacity } = volume['spec'] as { accessModes?: readonly string[]; capacity?: object };
  const status = { phase: 'Bound', ...(accessModes && { accessModes }), ...(capacity && { capacity }) };
  return phaseOf(claim) !== 'Bound' && client.patch(claim, { status }, 'status');
}

/** A volume that is bound, or a claim that pods use, stays until it is free. */
export function unprotect(client: ControllerClient, object: KubeObject): boolean {
  const { deletionTimestamp, finalizers = [], namespace, name } = object.metadata;
  const protection = PROTECTION[object.kind] ?? '';
  if (!deletionTimestamp || !finalizers.includes(protection)) return false;
  // By pods that have ended, too.
  const isUsed =
    object.kind === 'PersistentVolume' ? phaseOf(object) === 'Bound' : client.indexes.podsByClaim.count(`${namespace}/${name}`) > 0;
  return !isUsed && client.patch(object, { metadata: { finalizers: finalizers.filter((each) => each !== protection) } });
}
