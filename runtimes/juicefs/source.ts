import { type DatasetSpec, quantity } from '../../src/api/index.ts';
import { type Arg, env, must, type Options, optionList, type PlanInput } from '../../src/constructs/index.ts';
import { secretEnv, secretVariables, together, word } from '../../src/constructs/index.ts';

/** Secret options that JuiceFS knows, and the variables in which its programs find them. */
const VARIABLES = new Map(Object.entries({ metaurl: 'METAURL', 'access-key': 'ACCESS_KEY', 'secret-key': 'SECRET_KEY', token: 'TOKEN' }));
const MOUNT = 'spec.mounts[0]';

/** A community file system is found through its metadata engine, whose address is secret; an enterprise one by its name. */
export const editionOf = ({ mounts = [], sharedEncryptOptions = [] }: DatasetSpec): 'community' | 'enterprise' =>
  [...sharedEncryptOptions, ...(mounts[0]?.encryptOptions ?? [])].some(({ name }) => name === 'metaurl') ? 'community' : 'enterprise';

/** What the Dataset says: which file system, and how to get at it. */
export const sourceOf = ({ identity, spec }: PlanInput<unknown>['dataset']) =>
  together({ source: () => read(spec) }, `Dataset ${identity.namespace}/${identity.name}`).source;
export type Source = ReturnType<typeof read>;

function read(spec: DatasetSpec) {
  const [mount, ...others] = spec.mounts ?? [];
  must(mount && others.length === 0, 'spec.mounts', 'exactly one mount', spec.mounts);
  const { storage, bucket, quota, ...options } = { ...spec.sharedOptions, ...mount.options };
  const { name, subPath, capacity, secrets } = together({
    name: () => nameOf(mount.name),
    subPath: () => subPathOf(mount.mountPoint),
    capacity: () => quota && gibibytes(quota, `${MOUNT}.options.quota`),
    secrets: () => secretVariables(spec, VARIABLES),
    sharedOptions: () => optionList(forMount(spec.sharedOptions), 'spec.sharedOptions'),
    options: () => optionList(forMount(mount.options), `${MOUNT}.options`),
  });
  must(!capacity || subPath, `${MOUNT}.mountPoint`, 'juicefs:///<directory>, since a quota is for a directory', mount.mountPoint);
  must(!secrets.has('quota'), `${MOUNT}.encryptOptions`, 'quota among the plain options', 'quota');
  const edition = editionOf(spec);
  /** How programs are told which file system they are to use. */
  const address: Arg = edition === 'community' ? env('METAURL') : name;
  const secretFlags = (keys: readonly string[], flag = (key: string) => key) =>
    keys.flatMap((key) => (secrets.has(key) ? word(`--${flag(key)}=`, env(secrets.get(key)?.variable ?? '')) : []));
  const format = (): readonly Arg[] => [
    ...secretFlags(['access-key', 'secret-key']),
    // Who does not say where the objects are kept means a file system that exists.
    ...(storage && bucket ? [] : ['--no-update']),
    ...flags({ ...(storage && { storage }), ...(bucket && { bucket }) }),
    ...flags(options).toSorted(),
    ...secretFlags([...secrets.keys()].filter((key) => !VARIABLES.has(key))),
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
    readOnly: mount.readOnly === true || !spec.accessModes?.length || spec.accessModes.includes('ReadOnlyMany'),
    env: secretEnv(secrets.values()),
    /** Mount options for readers. */
    options: options as Options,
    /** Arguments of `juicefs format` or `juicefs auth`; none where there is nothing to log in with. */
    login: edition === 'community' ? format() : secrets.has('token') ? auth() : undefined,
    /** Arguments of `juicefs quota`. */
    quota: capacity && subPath ? ['set', address, '--path', subPath, '--capacity', capacity] : undefined,
  };
}

const flags = (options: Options) => Object.entries(options).map(([key, value]) => `--${key}=${value}`);

/** What only `format`, `auth` and `quota` are told. */
const forMount = ({ storage: _s, bucket: _b, quota: _q, ...options }: Options = {}): Options => options;

/** The name is also that of a directory in every cache, which is deleted with the runtime. */
function nameOf(name = ''): string {
  must(/^(?!-|\.{1,2}$)[^/]+$/.test(name), `${MOUNT}.name`, 'the name of a file system: not empty, no "/", no "-" in front', name);
  return name;
}

function subPathOf(mountPoint: string): string | undefined {
  const match = /^juicefs:\/\/(?:\/?$|([^,-][^,]*)$)/.exec(mountPoint);
  must(match, `${MOUNT}.mountPoint`, 'juicefs:///<directory> without ","', mountPoint);
  return match[1];
}

/** `juicefs quota` takes whole GiB; a rest that was cut off would be space that the user never gets. */
function gibibytes(quota: string, path: string): string {
  const amount = quantity(quota, path) / 2 ** 30;
  must(Number.isInteger(amount) && amount >= 1, path, 'whole GiB, at least 1Gi', quota);
  return String(amount);
}
