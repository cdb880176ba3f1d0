import { normalize } from 'node:path/posix';
import { shown } from '../api/errors.ts';
import { annotation } from '../api/labels.ts';
import { FUSE_NODE_LABELS } from '../api/names.ts';
import { type NodeDaemon, nodeDaemons } from '../api/node-daemons.ts';
import { invalid } from './grpc/errors.ts';
import { isWithin } from './mounts/mountinfo.ts';

/** CSI's AccessMode.Mode: those under which no pod writes. */
const SINGLE_NODE_READER_ONLY = 2;
const MULTI_NODE_READER_ONLY = 3;

/** `<mount root>/<type>/<namespace>/<name>/…`: what lies higher is of several datasets. */
const DEPTH = 3;

/** The volume attributes of a dataset's PersistentVolume, and the directory that they stand for. */
export interface CsiVolume {
  /** Where the fuse pod mounts: an absolute path within the mount root. */
  readonly fusePath: string;
  /** The directory that pods see: the same path, or one below it. */
  readonly source: string;
  /** Must occur in the line of the mount table; absent: no check that it is a mount at all. */
  readonly mountType?: string;
  readonly method: 'bind' | 'symlink';
  readonly runtime?: RuntimeName;
  readonly nodeLabel?: string;
  /** The daemon that the volume's clients need on the node, and the directory of its socket. */
  readonly daemon?: NodeDaemon & { readonly directory: string };
}
export interface RuntimeName {
  readonly namespace: string;
  readonly name: string;
}

export interface VolumeDefaults {
  readonly mountRoot: string;
  /** For volumes that do not say. */
  readonly method: 'bind' | 'symlink';
}

/** Set by the kubelet alone, where the CSIDriver has `podInfoOnMount`. */
const EPHEMERAL = 'csi.storage.k8s.io/ephemeral';

type Attributes = Readonly<Record<string, string | undefined>>;

/** threat-model: R-volume. @throws CsiError INVALID_ARGUMENT, naming the attribute */
export function parseVolume(attributes: Attributes, { mountRoot, method }: VolumeDefaults): CsiVolume {
  const { fluid_path: fusePath = '', fluid_sub_path: subPath = '', mount_type: mountType = 'fuse.alluxio-fuse' } = attributes;
  const { runtime_namespace: namespace, runtime_name: name, mount_pod_node_selector_key: nodeLabel } = attributes;
  const { [EPHEMERAL]: ephemeral } = attributes;
  // The author of a pod would choose the attributes of an ephemeral volume.
  if (ephemeral === 'true') throw invalid('volume: expected that of a PersistentVolumeClaim, found one in the spec of a pod (csi)');
  if (!isPlain(fusePath) || !isWithin(fusePath, mountRoot) || partsBelow(fusePath, mountRoot) < DEPTH)
    throw invalid(
      `volume attribute fluid_path: expected a path within ${mountRoot}, as ${mountRoot}/<type>/<namespace>/<name>, found ${shown(fusePath)}`,
    );
  if (nodeLabel && !nodeLabel.startsWith(FUSE_NODE_LABELS))
    throw invalid(`volume attribute mount_pod_node_selector_key: expected a label ${FUSE_NODE_LABELS}…, found ${shown(nodeLabel)}`);
  const daemon = nodeDaemons.find(({ attribute }) => attributes[attribute]);
  const directory = attributes[daemon?.attribute ?? ''] ?? '';
  if (daemon && (!isPlain(directory) || !isWithin(directory, mountRoot)))
    throw invalid(`volume attribute ${daemon.attribute}: expected a path within ${mountRoot}, found ${shown(directory)}`);
  return {
    fusePath,
    source: subPath === '' ? fusePath : below(fusePath, subPath),
    ...(checksMount(attributes[annotation.skipMountCheck]) && { mountType }),
    method: askedMethod(attributes['node_publish_method'], method),
    ...(namespace && name && { runtime: { namespace, name } }),
    ...(nodeLabel && { nodeLabel }),
    ...(daemon && { daemon: { ...daemon, directory } }),
  };
}

/** Absolute, and as the kernel would print it. */
const isPlain = (path: string): boolean => path.startsWith('/') && normalize(path) === path && !path.endsWith('/') && !path.includes('\0');

const partsBelow = (path: string, directory: string): number =>
  path
    .slice(directory.length)
    .split('/')
    .filter((part) => part !== '').length;

/** Slashes at either end, and doubled ones, are nothing; anything that would leave the directory is refused, not resolved. */
function below(directory: string, subPath: string): string {
  const parts = subPath.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..') || subPath.includes('\0'))
    throw invalid(`volume attribute fluid_sub_path: expected a path without "..", found ${shown(subPath)}`);
  return [directory, ...parts].join('/');
}

function askedMethod(text: string | undefined, byDefault: CsiVolume['method']): CsiVolume['method'] {
  // As in Fluid, any other word means what is usual.
  return text === 'symlink' ? 'symlink' : byDefault;
}

/** `fluid.io/skip-check-mount-ready-target`, a list: where a pod need not wait for the mount. `All` and `None` end it. */
function checksMount(list = ''): boolean {
  for (const mode of list === '' ? [] : list.split(',')) {
    if (mode === 'All' || mode === 'MountPod') return false;
    if (mode === 'None') return true;
    if (mode !== 'Sidecar')
      throw invalid(
        `volume attribute ${annotation.skipMountCheck}: expected All, None, or a list of MountPod and Sidecar, found ${shown(list)}`,
      );
  }
  return true;
}

/** For whom a volume is published, where the CSIDriver has `podInfoOnMount`. */
export function podOfContext(context: Attributes): { readonly namespace: string; readonly name: string } | undefined {
  const { 'csi.storage.k8s.io/pod.namespace': namespace, 'csi.storage.k8s.io/pod.name': name } = context;
  return namespace && name ? { namespace, name } : undefined;
}

interface Capability {
  readonly accessType: { readonly case: 'block' | 'mount' | undefined; readonly value?: object | undefined };
  readonly accessMode?: { readonly mode: number } | undefined;
}

/** @throws CsiError INVALID_ARGUMENT */
export function checkCapability(capability: Capability | undefined): asserts capability is Capability {
  if (!capability) throw invalid('volume_capability: expected one, found none');
  if (capability.accessType.case === 'block') throw invalid('volume_capability: expected a file system, found a block device');
}

/** The application must not write: the access mode, the request or a mount option says so. */
export function isReadOnly({ accessType, accessMode }: Capability, requested: boolean): boolean {
  const { mountFlags = [] } = (accessType.value ?? {}) as { readonly mountFlags?: readonly string[] };
  const mode = accessMode?.mode;
  return requested || mode === SINGLE_NODE_READER_ONLY || mode === MULTI_NODE_READER_ONLY || mountFlags.includes('ro');
}
