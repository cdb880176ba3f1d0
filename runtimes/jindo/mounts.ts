import type { DatasetSpec, Mount } from '../../src/api/index.ts';
import {
  absolutePath,
  claimOf,
  cleanPath,
  type Mounted,
  mountedAt,
  must,
  type Options,
  positional,
  type SecretOption,
  secretOptions,
  shownAt,
  together,
  volumeLabel,
} from '../../src/constructs/index.ts';

/** A source of data, as Jindo mounts it. */
export interface Source {
  readonly name: string;
  /** Where it appears: `/data`. */
  readonly path: string;
  /** The source that Jindo mounts: `oss://bucket/data/`, or a directory of the pods as `local:///…`. */
  readonly source: string;
  /** `oss`; `local` for directories of the pods. */
  readonly scheme: string;
  /** Name of the bucket, or the host of any other address. */
  readonly bucket: string;
  /** Options of the mount and of all mounts; those of the mount win. */
  readonly options: Options;
  /** Options whose values are in Secrets, by name. */
  readonly secrets: ReadonlyMap<string, SecretOption>;
  /** The field, in errors. */
  readonly field: string;
}

export interface Mounts {
  readonly sources: readonly Source[];
  /** Directories of the node and claims that all pods mount. */
  readonly native: readonly Mounted[];
}

/** Names of the volumes that pods have anyway. */
const OURS = /^(datavolume-.*|bigboot-config|hdfs-confs|jindofs-secret-token|jindofs-fuse-device)$/;
/** Where a pod finds what claims hold. */
const LOCAL_ROOT = '/underFSStorage';

/** The mounts of the Dataset, and Jindo's access to them; `dataset` names it in errors. */
export const mountsOf = (spec: DatasetSpec, isReadOnly: boolean, dataset: string): Mounts =>
  together({ mounts: () => read(spec, isReadOnly) }, dataset).mounts;

function read(spec: DatasetSpec, isReadOnly: boolean): Mounts {
  const { mounts = [] } = spec;
  must(mounts.length > 0, 'spec.mounts', 'a mount', mounts);
  const shared = secretOptions(spec.sharedEncryptOptions, 'spec.sharedEncryptOptions');
  const found = mounts.map((mount, i) => {
    const field = `spec.mounts[${i}]`;
    const path = pathOf(mount, field);
    must(!/\p{Cc}/u.test(mount.name ?? ''), `${field}.name`, 'a name without control characters', mount.name);
    const native = nativeOf(mount, isReadOnly, path, field);
    const source = native ? `local://${native.mount.mountPath}` : sourceOf(mount, field);
    const [, scheme = '', bucket = ''] = PARTS.exec(source) ?? [];
    const own = secretOptions(mount.encryptOptions, `${field}.encryptOptions`);
    const secrets = new Map([...shared, ...own].map((each) => [each.option, each]));
    const options = { ...spec.sharedOptions, ...mount.options };
    return { native, source: { name: mount.name ?? '', path, source, scheme, bucket, options, secrets, field } };
  });
  const first = new Map(found.map(({ source }, i) => [source.path, i] as const).toReversed());
  found.forEach(({ source }, i) =>
    must(first.get(source.path) === i, `spec.mounts[${i}].path`, 'a path that no other mount has', source.path),
  );
  return { sources: found.map(({ source }) => source), native: found.flatMap(({ native }) => native ?? []) };
}

function pathOf(mount: Mount, field: string): string {
  const at = `${field}.${mount.path?.startsWith('/') ? 'path' : 'name'}`;
  const chosen = absolutePath(shownAt(mount), at);
  must(!/[\s\p{Cc}]/u.test(chosen), at, 'a path without blanks', chosen);
  return cleanPath(chosen);
}

function sourceOf({ mountPoint }: Mount, field: string): string {
  const source = positional(mountPoint, `${field}.mountPoint`);
  must(
    /^[a-z][a-z0-9+.-]*:\/\/[^\s\p{Cc}]+$/u.test(source),
    `${field}.mountPoint`,
    '<scheme>://<address> without blanks, the scheme in small letters',
    source,
  );
  must(!source.startsWith('dataset://'), `${field}.mountPoint`, 'a source that Jindo can read: references are of other runtimes', source);
  const [, scheme = '', bucket = ''] = PARTS.exec(source) ?? [];
  // The name becomes part of names of properties, and a directory.
  must(
    !STORES.includes(scheme) || /^[a-z0-9][\w.-]*$/i.test(bucket),
    `${field}.mountPoint`,
    `${scheme}://<bucket>/<path>, the bucket of letters, digits and "._-"`,
    source,
  );
  return source;
}
const PARTS = /^([^:]+):\/\/([^/]*)/;

/** The volume that pods mount themselves: a claim, or a directory of the node. */
function nativeOf(
  { mountPoint, name = '', readOnly = false }: Mount,
  isReadOnly: boolean,
  path: string,
  field: string,
): Mounted | undefined {
  if (mountPoint.startsWith('local://')) {
    must(/^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$/.test(name), `${field}.name`, 'the name of a volume: small letters, digits, dashes', name);
    must(!/^\d+$/.test(name), `${field}.name`, 'a name that is no number, as the volumes of the cache have', name);
    const directory = absolutePath(mountPoint.slice('local://'.length), `${field}.mountPoint`);
    must(!/[\s\p{Cc}]/u.test(directory), `${field}.mountPoint`, 'a path without blanks', directory);
    return mountedAt(directory, `datavolume-${name}`, { hostPath: { path: directory } });
  }
  if (!mountPoint.startsWith('pvc://')) return undefined;
  const claim = claimOf(mountPoint);
  must(claim, `${field}.mountPoint`, 'pvc://<claim> or pvc://<claim>/<path>', mountPoint);
  const subPath = cleanPath(claim.path).slice(1);
  must(!subPath.split('/').includes('..'), `${field}.mountPoint`, 'a path without ".."', mountPoint);
  must(!OURS.test(volumeLabel(claim.claim)), `${field}.mountPoint`, 'a claim without the name of a volume of Jindo', mountPoint);
  const source = { persistentVolumeClaim: { claimName: claim.claim } };
  return mountedAt(`${LOCAL_ROOT}${path}`, volumeLabel(claim.claim), source, {
    // The claim may be of another Dataset, whose client can end: what is then mounted again must reach pods that run.
    mountPropagation: 'HostToContainer',
    ...((isReadOnly || readOnly) && { readOnly: true }),
    ...(subPath && { subPath }),
  });
}

/** Stores that ask for a key and its secret, in options `fs.<store>.accessKeyId` and `fs.<store>.accessKeySecret`. */
export const STORES: readonly string[] = ['oss', 's3', 'cos', 'obs'];
export const keyOptions = (scheme: string) => [`fs.${scheme}.accessKeyId`, `fs.${scheme}.accessKeySecret`] as const;
