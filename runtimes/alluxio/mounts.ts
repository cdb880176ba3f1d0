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
  secretDirectory,
  secretFiles,
  type SecretOption,
  secretOptions,
  shownAt,
  together,
  togetherEach,
  volumeLabel,
} from '../../src/constructs/index.ts';
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
  /** The mount that Alluxio shows at `/`. */
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

/** The mounts of the Dataset, and Alluxio's access to them; `dataset` names it in errors. */
export const mountsOf = (spec: DatasetSpec, dataset: string): Mounts => together({ mounts: () => read(spec) }, dataset).mounts;

function read(spec: DatasetSpec): Mounts {
  const { mounts = [] } = spec;
  must(mounts.length > 0, 'spec.mounts', 'a mount', mounts);
  const placed = mounts.map((mount, i) => ({ mount, path: cleanPath(shownAt(mount)), field: `spec.mounts[${i}]` }));
  const [ofPods, ofAlluxio] = [placed.filter(({ mount }) => isNative(mount)), placed.filter(({ mount }) => !isNative(mount))];
  const { shared, native } = together({
    paths: () => checkPaths(placed),
    shared: () => secretOptions(spec.sharedEncryptOptions, 'spec.sharedEncryptOptions'),
    names: () => ofAlluxio.length > 0 && checkNames(spec.sharedOptions ?? {}, spec.sharedEncryptOptions ?? [], 'spec.sharedOptions'),
    native: () => togetherEach(ofPods, nativeOf),
    others: () => togetherEach(ofAlluxio, ({ mount, field }) => checkOther(mount, field)),
  });
  const rows = ofAlluxio.map((each) => rowOf(spec, each, shared));
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

/** A mount, where Alluxio shows it, and its field in the Dataset. */
interface Placed {
  readonly mount: Mount;
  readonly path: string;
  readonly field: string;
}

function checkPaths(placed: readonly Placed[]): void {
  const first = new Map(placed.toReversed().map(({ path, field }) => [path, field]));
  togetherEach(placed, ({ mount, path, field }) => {
    const chosen = shownAt(mount);
    const at = `${field}.${mount.path?.startsWith('/') ? 'path' : 'name'}`;
    absolutePath(chosen, at);
    must(!/[\s\0]/.test(chosen), at, 'a path without blanks', chosen);
    must(first.get(path) === field, `${field}.path`, 'a path that no other mount has', path);
  });
}

function checkOther({ mountPoint, options = {}, encryptOptions = [] }: Mount, field: string): void {
  together({
    source: () => checkSource(mountPoint, `${field}.mountPoint`),
    secrets: () => secretOptions(encryptOptions, `${field}.encryptOptions`),
    names: () => checkNames(options, encryptOptions, `${field}.options`),
  });
}

function checkNames(options: Options, secrets: readonly { readonly name: string }[], field: string): void {
  togetherEach([...Object.keys(options), ...secrets.map(({ name }) => name)], (key) =>
    must(/^[^\s=-][^\s=]*$/.test(key), field, 'names of properties, such as alluxio.underfs.s3.endpoint', key),
  );
}

function checkSource(mountPoint: string, field: string): void {
  const source = positional(mountPoint, field);
  must(/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(source), field, '<scheme>://<address> without blanks', source);
  must(!source.startsWith('dataset://'), field, 'a source that Alluxio can read: references are of other runtimes', source);
}

function rowOf(spec: DatasetSpec, { mount, path, field }: Placed, shared: readonly SecretOption[]): Row {
  // The later of a name wins; a Secret over a plain text.
  const secrets = new Map(
    [...shared, ...secretOptions(mount.encryptOptions, `${field}.encryptOptions`)].map((each) => [each.option, each]),
  );
  const options = { ...spec.sharedOptions, ...mount.options };
  if (path === '/') startedWith({ ...options, mountPoint: mount.mountPoint }, field);
  const inOrder = [...secrets.values()].toSorted((a, b) => (a.option < b.option ? -1 : 1));
  return {
    path,
    source: mount.mountPoint,
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

/** The master must know the mount at `/` when it starts: Alluxio's scripts read its properties as a shell does. */
function startedWith(texts: Options, field: string): void {
  const expected = 'no blanks, quotation marks and commands of a shell in what is mounted at /';
  togetherEach(Object.entries(texts), ([key, text]) => must(isPlain(key) && isPlain(text), field, expected, `${key}: ${text}`));
}

/** The file that holds the value of an option. */
export const secretFile = ({ secret, key }: SecretOption): string => `${secretDirectory(secret)}/${key}`;

function nativeOf({ mount, path, field }: Placed): Mounted {
  const { mountPoint, readOnly } = mount;
  const at = cleanPath(`${LOCAL_ROOT}${path}`);
  const only = readOnly && { readOnly };
  const claim = claimOf(mountPoint);
  if (claim) {
    const subPath = cleanPath(claim.path).slice(1);
    must(!subPath.split('/').includes('..'), `${field}.mountPoint`, 'a path without ".."', mountPoint);
    // The claim may be of another Dataset, whose client can end: what is then mounted again must reach pods that run.
    const more = { ...only, mountPropagation: 'HostToContainer', ...(subPath && { subPath }) };
    return mountedAt(at, volumeLabel(claim.claim), { persistentVolumeClaim: { claimName: claim.claim } }, more);
  }
  const { name = '' } = mount;
  must(isLocal(mount), `${field}.mountPoint`, 'pvc://<claim> or pvc://<claim>/<path>', mountPoint);
  must(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name), `${field}.name`, 'the name of a volume: small letters, digits, dashes', name);
  const directory = absolutePath(mountPoint.slice('local://'.length), `${field}.mountPoint`);
  return mountedAt(at, name, { hostPath: { path: directory } }, { ...only });
}
