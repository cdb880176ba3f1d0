import { type Container, type PodSpec, type Volume, volumeName } from '../../api/index.ts';
import type { Admission, DatasetUse } from '../admission.ts';
import { Denied } from '../denied.ts';
import { fuseOf, type VerifiedTemplate, volumeOf } from '../fuse-of.ts';
import type { KnownVolume } from '../known.ts';

/** The FUSE client of a Dataset, as its fuse DaemonSet runs it. */
export interface FuseClient {
  readonly spec: PodSpec;
  readonly fuse: VerifiedTemplate;
  readonly volume: KnownVolume;
  /** The volume that holds the file system, mounted `Bidirectional`; and the host directory in which pods have theirs. */
  readonly home: { readonly name: string; readonly hostPath: string };
  /** From the volume's directory to the file system: `/juicefs-fuse`, or empty. */
  readonly below: string;
  /** The file system in the client's container. */
  readonly mountedAt: string;
  /** Prometheus reads metrics of sidecars. */
  readonly isScraped: boolean;
}

/** @throws Denied if the Dataset cannot be used yet, or its client cannot be a sidecar */
export function clientOf(use: DatasetUse, { namespace, known, injection }: Admission): FuseClient {
  const { identity, phase, notReady, isBeingDeleted, runtime } = use.dataset;
  const { name } = identity;
  const dataset = { kind: 'dataset', namespace, name } as const;
  const what = `Dataset ${namespace}/${name}`;
  if (!injection.skipsPrecheck && (phase === '' || phase === 'NotBound'))
    throw new Denied(`${what}: expected it to be bound, found phase ${phase || 'NotBound'}${notReady ? `: ${notReady}` : ''}`, [dataset]);
  if (isBeingDeleted)
    throw new Denied(
      `${what}: expected it to stay, found it being deleted. The deletion waits for pods that read it, and no more of them start`,
      [dataset],
    );
  if (!runtime) throw new Denied(`${what}: expected a runtime that serves it, found none`, [dataset]);
  const claim = { kind: 'claim', namespace, name: use.claim } as const;
  if (known.claim(namespace, use.claim)?.isBeingDeleted)
    throw new Denied(`${what}: expected its claim to stay, found it being deleted${notReady ? `: ${notReady}` : ''}`, [claim]);
  const volume = volumeOf({ namespace, name: use.claim }, volumeName(identity), known);
  if ('why' in volume) throw new Denied(`${what}: ${volume.why}`, volume.unknown);
  const home = volume.runtime ?? { namespace, name };
  const fuse = fuseOf(home, known);
  if ('why' in fuse) throw new Denied(`${what}: ${fuse.why}. A Job or a ReplicaSet tries again by itself`, fuse.unknown);
  const refused = fuse.sidecar.refused ?? (home.namespace === namespace ? undefined : boundTo(fuse, home.namespace));
  if (refused !== undefined)
    throw new Denied(`${what}: its client cannot be a sidecar: ${refused}. Run the pod on a node with the CSI plugin, without the label`);
  const isScraped = known.runtime(runtime.type, runtime.namespace, runtime.name)?.scrapesSidecars ?? false;
  return { fuse, volume, isScraped, ...mountOf(what, fuse, volume) };
}

/** Why a client of another namespace cannot run here: it needs objects of that namespace. Their names are not for this one. */
function boundTo({ template: { spec } }: VerifiedTemplate, namespace: string): string | undefined {
  const volumes = spec?.volumes ?? [];
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const mounts = volumes.some((volume) => NAMESPACED.some((field) => volume[field] !== undefined));
  const reads = containers.some(
    ({ env = [], envFrom = [] }) =>
      envFrom.length > 0 || env.some(({ valueFrom }) => valueFrom?.secretKeyRef ?? valueFrom?.configMapKeyRef),
  );
  return mounts || reads ? `it reads ConfigMaps or Secrets of namespace ${namespace}, to which the Dataset refers` : undefined;
}
const NAMESPACED = ['configMap', 'secret', 'projected', 'persistentVolumeClaim', 'ephemeral'] as const;

function mountOf(
  what: string,
  { template }: VerifiedTemplate,
  { path }: KnownVolume,
): Pick<FuseClient, 'spec' | 'home' | 'below' | 'mountedAt'> {
  const { spec } = template;
  const [first] = spec?.containers ?? [];
  for (const { name, mountPath, mountPropagation } of first?.volumeMounts ?? []) {
    const hostPath = spec?.volumes?.find((each) => each.name === name)?.hostPath?.path;
    if (!spec || mountPropagation !== 'Bidirectional' || hostPath === undefined) continue;
    if (path !== hostPath && !path.startsWith(`${hostPath}/`)) continue;
    const below = path.slice(hostPath.length);
    // Not in the file system that the fuse pod of this node mounts, which is the storage.
    const home = { name, hostPath: below === '' ? hostPath.slice(0, hostPath.lastIndexOf('/')) : hostPath };
    if (home.hostPath === '') continue;
    return { spec, home, below, mountedAt: `${mountPath}${below}` };
  }
  throw new Denied(`${what}: expected a fuse DaemonSet whose first container shares ${path} with its node, found none`);
}

/** Volumes of an unprivileged client's privileges, by Fluid's names. */
const DEVICE = /^((alluxio|jindofs|juicefs|thin|efc)-fuse-mount|efc-sock|(alluxio|jindofs|thin)-fuse-device)/;

/** Names of the volumes that the sidecar does not get. */
export function droppedVolumes({ spec, fuse, home }: FuseClient, { injection }: Admission): ReadonlySet<string> {
  const isCache = ({ name }: Volume) => fuse.sidecar.caches.includes(name);
  const isPrivilege = ({ name, hostPath }: Volume) => name === home.name || hostPath?.path === '/dev/fuse' || DEVICE.test(name);
  const dropped = (volume: Volume) =>
    (!injection.keepsCaches && isCache(volume)) || (injection.platform === 'unprivileged' && isPrivilege(volume));
  return new Set((spec.volumes ?? []).filter(dropped).map(({ name }) => name));
}

/** The container without these volumes. Without privilege no mount of it propagates to the host. */
export function withoutVolumes<C extends Omit<Container, 'name'>>(container: C, dropped: ReadonlySet<string>, { injection }: Admission): C {
  const isPrivileged = injection.platform === 'default';
  const kept = container.volumeMounts?.filter(({ name }) => !dropped.has(name));
  const settled = kept?.map(({ mountPropagation, ...mount }) =>
    mountPropagation === undefined || (mountPropagation === 'Bidirectional' && !isPrivileged) ? mount : { ...mount, mountPropagation },
  );
  return { ...container, ...(settled && { volumeMounts: settled }) };
}
