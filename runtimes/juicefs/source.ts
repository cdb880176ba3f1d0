import { type DatasetSpec, quantity } from '../../src/api/index.ts';
import { type Arg, env, must, type Options, type RuntimeInput } from '../../src/constructs/index.ts';
import { secretEnv, secretVariables, together, word } from '../../src/constructs/index.ts';

import { forFormat, forMount, isForFormat } from './options.ts';
import { sourceWarnings } from './warnings.ts';

/** Secret options that JuiceFS knows, and the variables in which its programs find them. */
const VARIABLES = new Map(Object.entries({ metaurl: 'METAURL', 'access-key': 'ACCESS_KEY', 'secret-key': 'SECRET_KEY', token: 'TOKEN' }));
const MOUNT = 'spec.mounts[0]';
const GIB = 2 ** 30;

/** A community file system is found through its metadata engine, whose address is secret; an enterprise one by its name. */
export const editionOf = ({ mounts = [], sharedEncryptOptions = [] }: DatasetSpec): 'community' | 'enterprise' =>
  [...sharedEncryptOptions, ...(mounts[0]?.encryptOptions ?? [])].some(({ name }) => name === 'metaurl') ? 'community' : 'enterprise';

/** The file system that the Dataset names, and how to reach it. */
export const sourceOf = ({ identity, spec }: RuntimeInput<unknown>['dataset']) =>
  together({ source: () => read(spec) }, `Dataset ${identity.namespace}/${identity.name}`).source;
export type Source = ReturnType<typeof read>;

function read(spec: DatasetSpec) {
  const [mount] = spec.mounts ?? [];
  must(mount, 'spec.mounts', 'a mount', spec.mounts);
  const { storage, bucket, quota: _, ...options } = { ...spec.sharedOptions, ...mount.options };
  // As in Fluid, one among the shared options is not set.
  const quota = mount.options?.['quota'];
  const { name, subPath, capacity, secrets } = together({
    name: () => nameOf(mount.name),
    subPath: () => subPathOf(mount.mountPoint),
    capacity: () => quota && gibibytes(quota, `${MOUNT}.options.quota`),
    secrets: () => secretVariables(withoutQuota(spec), VARIABLES),
  });
  must(
    !capacity || subPath,
    `${MOUNT}.mountPoint`,
    `juicefs:///<directory>, since ${MOUNT}.options.quota is for a directory`,
    mount.mountPoint,
  );
  const edition = editionOf(spec);
  /** The argument by which programs find the file system. */
  const address: Arg = edition === 'community' ? env('METAURL') : name;
  const secretFlags = (keys: readonly string[], flag = (key: string) => key) =>
    keys.flatMap((key) => (secrets.has(key) ? word(`--${flag(key)}=`, env(secrets.get(key)?.variable ?? '')) : []));
  const format = (): readonly Arg[] => [
    ...secretFlags(['access-key', 'secret-key']),
    // As in Fluid, one of them alone changes nothing of a volume that exists.
    ...(storage && bucket ? [] : ['--no-update']),
    ...flags({ ...(storage && { storage }), ...(bucket && { bucket }) }),
    ...flags(forFormat(options)).toSorted(),
    ...secretFlags([...secrets.keys()].filter((key) => !VARIABLES.has(key) && isForFormat(key))),
    address,
    name,
  ];
  const { bucket2 } = options as Options;
  const auth = (): readonly Arg[] => [
    ...secretFlags(['token', 'access-key', 'secret-key'], (key) => key.replace('-', '')),
    ...flags({ ...(bucket && { bucket }), ...(bucket2 && { bucket2 }) }),
    ...secretFlags(['access-key2', 'secret-key2']),
    name,
  ];
  return {
    edition,
    name,
    address,
    subPath,
    readOnly: mount.readOnly === true,
    env: secretEnv(secrets.values()),
    /** Mount options for readers. */
    options: edition === 'community' ? forMount(options) : (options as Options),
    ...(edition === 'community' && { missing: missingFor(storage, bucket).filter((key) => !secrets.has(key)) }),
    /** A directory of the pods in which the clients keep the data, if it is in no store. */
    directory: edition === 'community' && !secrets.has('bucket') ? directoryOf(storage, bucket) : undefined,
    /** Arguments of `juicefs format` or `juicefs auth`; undefined without credentials. */
    login: edition === 'community' ? format() : secrets.has('token') ? auth() : undefined,
    /** Arguments of `juicefs quota`. */
    quota: capacity && subPath ? ['set', address, '--path', subPath, '--capacity', capacity] : undefined,
    warnings: sourceWarnings(spec, edition === 'community'),
  };
}

/**
 * The options without which `juicefs format` would keep data in a directory of the container of whichever client comes first. A path as
 * bucket is a directory that the user chose.
 */
function missingFor(storage: string | undefined, bucket: string | undefined): readonly string[] {
  if (storage === 'file' || (!storage && bucket?.startsWith('/'))) return [];
  return [...(storage ? [] : ['storage']), ...(bucket ? [] : ['bucket'])];
}

/** Where a client of the volume keeps its data, as a path in its container. */
function directoryOf(storage: string | undefined, bucket: string | undefined): string | undefined {
  if (storage !== undefined && storage !== 'file') return undefined;
  return bucket?.startsWith('/') ? bucket : storage === 'file' ? (bucket ?? '/var/jfs') : undefined;
}

const flags = (options: Options) => Object.entries(options).map(([key, value]) => `--${key}=${value}`);

/** The name is also that of a directory in every cache, which is deleted with the runtime. */
function nameOf(name = ''): string {
  must(/^(?!-|\.{1,2}$)[^/]+$/.test(name), `${MOUNT}.name`, 'the name of a file system: not empty, no "/", no "-" in front', name);
  return name;
}

function subPathOf(mountPoint: string): string | undefined {
  const field = `${MOUNT}.mountPoint`;
  const [whole, directory = ''] = /^juicefs:\/\/(.*)$/s.exec(mountPoint) ?? [];
  must(whole !== undefined, field, 'juicefs:///<directory> of the file system, or juicefs:/// for all of it', mountPoint);
  must(!directory.includes(','), field, 'a directory without ",", which separates mount options', mountPoint);
  must(!directory.startsWith('-'), field, 'a directory that begins with "/"', mountPoint);
  return directory === '/' || directory === '' ? undefined : directory;
}

/** `juicefs quota` takes whole GiB. As in Fluid, a rest is cut off. */
function gibibytes(quota: string, path: string): string {
  const amount = Math.floor(quantity(quota, path) / GIB);
  must(amount >= 1, path, 'at least 1Gi', quota);
  return String(amount);
}

/** As in Fluid, a quota that is kept in a Secret is not set. */
const withoutQuota = ({ mounts: [mount] = [], sharedEncryptOptions, ...spec }: DatasetSpec): DatasetSpec => {
  const plain = (list: DatasetSpec['sharedEncryptOptions'] = []) => list.filter(({ name }) => name !== 'quota');
  return {
    ...spec,
    sharedEncryptOptions: plain(sharedEncryptOptions),
    ...(mount && { mounts: [{ ...mount, encryptOptions: plain(mount.encryptOptions) }] }),
  };
};
