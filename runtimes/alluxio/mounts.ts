import type { DatasetSpec, Mount } from '../../src/api/index.ts';
import {
  absolutePath,
  claimOf,
  type Mounted,
  must,
  type Options,
  positional,
  secretDirectory,
  secretFiles,
  type SecretOption,
  secretOptions,
  together,
  volumeLabel,
} from '../../src/constructs/index.ts';
import { below, cleanPath } from './paths.ts';
import { isPlain } from './properties.ts';

/** Where a pod finds what is mounted into it from outside of Alluxio; the root of Alluxio unless the Dataset has another. */
const LOCAL_ROOT = '/underFSStorage';

/** A line of Alluxio's own table of mounts. */
export interface Row {
  readonly path: string;
  readonly source: string;
  /** By name; `--readonly` and `--shared` where the mount is, and where each secret value comes from. */
  readonly options: Options;
  readonly secrets: readonly SecretOption[];
}

export interface Mounts {
  readonly rows: readonly Row[];
  /** What Alluxio shows at `/`. */
  readonly root: Row;
  /** Directories of the node and claims that masters and workers mount. */
  readonly native: readonly Mounted[];
  /** Secrets whose keys are values of options, as files. */
  readonly secrets: readonly Mounted[];
  /** Some of it is on the disk of a node. */
  readonly isLocal: boolean;
  readonly overHttp: boolean;
}

const isLocal = ({ mountPoint }: Mount): boolean => mountPoint.startsWith('local://');
const isNative = (mount: Mount): boolean => isLocal(mount) || mount.mountPoint.startsWith('pvc://');

/** What the Dataset mounts, and how Alluxio gets at it; `dataset` names it in errors. */
export const mountsOf = (spec: DatasetSpec, dataset: string): Mounts => together({ mounts: () => read(spec) }, dataset).mounts;

function read(spec: DatasetSpec): Mounts {
  const { mounts = [] } = spec;
  must(mounts.length > 0, 'spec.mounts', 'a mount', mounts);
  const paths = mounts.map((mount, i) => pathOf(mount, `spec.mounts[${i}]`));
  const first = new Map(paths.map((path, i) => [path, i] as const).toReversed());
  paths.forEach((path, i) => must(first.get(path) === i, `spec.mounts[${i}].path`, 'a path that no other mount has', path));
  const shared = secretOptions(spec.sharedEncryptOptions, 'spec.sharedEncryptOptions');
  const rows = mounts.flatMap((mount, i) => (isNative(mount) ? [] : [rowOf(spec, mount, paths[i] ?? '', shared, `spec.mounts[${i}]`)]));
  const native = mounts.flatMap((mount, i) => (isNative(mount) ? [nativeOf(mount, paths[i] ?? '', `spec.mounts[${i}]`)] : []));
  const root = rows.find(({ path }) => path === '/');
  must(!root || native.length === 0, 'spec.mounts', 'nothing at / beside local:// and pvc://, which Alluxio finds there', root?.source);
  const used = new Set(rows.flatMap(({ secrets }) => secrets.map(({ secret }) => secret)));
  return {
    rows: rows.filter(({ path }) => path !== '/'),
    root: root ?? { path: '/', source: LOCAL_ROOT, options: {}, secrets: [] },
    native,
    secrets: [...used].map((secret) => secretFiles(`alluxio-mount-secret-${secret}`, secret)),
    isLocal: mounts.some(isLocal),
    overHttp: mounts.every(({ mountPoint }) => /^https?:\/\//.test(mountPoint)),
  };
}

/** As in Fluid, a path that is not absolute is ignored. */
function pathOf({ path = '', name = '' }: Mount, field: string): string {
  must(path.startsWith('/') || /^[^/]+$/.test(name), `${field}.name`, 'a name without "/", or an absolute path', name);
  const chosen = absolutePath(path.startsWith('/') ? path : `/${name}`, `${field}.path`);
  must(!/[\s\0]/.test(chosen), `${field}.path`, 'a path without blanks', chosen);
  return cleanPath(chosen);
}

function rowOf(spec: DatasetSpec, mount: Mount, path: string, shared: readonly SecretOption[], field: string): Row {
  const source = positional(mount.mountPoint, `${field}.mountPoint`);
  must(/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(source), `${field}.mountPoint`, '<scheme>://<address> without blanks', source);
  must(!source.startsWith('dataset://'), `${field}.mountPoint`, 'a source that Alluxio can read: references are of other runtimes', source);
  // The later of a name wins; a Secret over a plain text.
  const secrets = new Map(
    [...shared, ...secretOptions(mount.encryptOptions, `${field}.encryptOptions`)].map((each) => [each.option, each]),
  );
  const options = { ...spec.sharedOptions, ...mount.options };
  for (const key of [...Object.keys(options), ...secrets.keys()])
    must(/^[^\s=-][^\s=]*$/.test(key), `${field}.options`, 'names of properties, such as alluxio.underfs.s3.endpoint', key);
  if (path === '/') startedWith({ ...options, mountPoint: source }, field);
  const inOrder = [...secrets.values()].toSorted((a, b) => (a.option < b.option ? -1 : 1));
  return {
    path,
    source,
    options: {
      ...(mount.readOnly && { '--readonly': '' }),
      ...(mount.shared && { '--shared': '' }),
      ...Object.fromEntries(
        Object.entries(options)
          .filter(([key]) => !secrets.has(key))
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
      // The master restarts when a source at / has another Secret.
      ...Object.fromEntries(path === '/' ? [] : inOrder.map((each) => [originOf(each), `${each.secret}/${each.key}`])),
    },
    secrets: inOrder,
  };
}

/** An option that Alluxio ignores and keeps. It masks secret values, so only this option shows that a mount reads one from another key. */
export const originOf = ({ option }: SecretOption): string => `sluice.secret.${option}`;

/** What is at `/` the master must know when it starts: Alluxio's scripts read its properties as a shell does. */
function startedWith(texts: Options, field: string): void {
  const expected = 'no blanks, quotation marks and commands of a shell in what is mounted at /';
  for (const [key, text] of Object.entries(texts)) must(isPlain(key) && isPlain(text), field, expected, `${key}: ${text}`);
}

/** The file that holds the value of an option. */
export const secretFile = ({ secret, key }: SecretOption): string => `${secretDirectory(secret)}/${key}`;

function nativeOf(mount: Mount, path: string, field: string): Mounted {
  const { mountPoint, readOnly } = mount;
  const at = { mountPath: below(LOCAL_ROOT, path), ...(readOnly && { readOnly }) };
  const claim = claimOf(mountPoint);
  if (claim) {
    const subPath = cleanPath(claim.path).slice(1);
    must(!subPath.split('/').includes('..'), `${field}.mountPoint`, 'a path without ".."', mountPoint);
    const volume = { name: volumeLabel(claim.claim), persistentVolumeClaim: { claimName: claim.claim } };
    // The claim may be of another Dataset, whose client can end: what is then mounted again must reach pods that run.
    const mount = { name: volume.name, ...at, mountPropagation: 'HostToContainer', ...(subPath && { subPath }) };
    return { volume, mount };
  }
  const { name = '' } = mount;
  must(isLocal(mount), `${field}.mountPoint`, 'pvc://<claim> or pvc://<claim>/<path>', mountPoint);
  must(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name), `${field}.name`, 'the name of a volume: small letters, digits, dashes', name);
  const directory = absolutePath(mountPoint.slice('local://'.length), `${field}.mountPoint`);
  return { volume: { name, hostPath: { path: directory } }, mount: { name, ...at } };
}
