import type { EncryptOption, EnvVar } from '../../src/api/index.ts';
import { ignored, type Mounted, must, secretEnv, secretOptions, together, type Warning } from '../../src/constructs/index.ts';

export type Field = 'from' | 'to';

/** Where a DataMigrate reads or writes. */
export interface End {
  /** As `juicefs sync` takes it, but for credentials. */
  readonly url: string;
  /** As its user knows it. */
  readonly name: string;
  /** In which file system, and where in it, with a slash at its end. Absent for a store. */
  readonly place?: string;
  /** From Secrets. */
  readonly env: readonly EnvVar[];
  /** The variables `EXTERNAL_*` among them belong into the URL. */
  readonly hasKeys?: boolean;
  /** The volume that is mounted for it. */
  readonly mounted?: Mounted;
  /** How to log in at the vendor's console before: arguments of `juicefs auth`, as the kubelet expands them. */
  readonly login?: { readonly args: readonly string[]; readonly env: readonly EnvVar[] };
}

/** Options that belong into the URL, and the variables in which the script finds them. */
const KEYS = new Map(Object.entries({ 'access-key': 'EXTERNAL_ACCESS_KEY', 'secret-key': 'EXTERNAL_SECRET_KEY', token: 'EXTERNAL_TOKEN' }));
/** Variables that clients of stores read. `juicefs sync` passes most of them on to its workers. */
const OF_CLIENTS = /^(ALICLOUD|AWS|AZURE|BDCLOUD|CEPH|COS|EOS|GOOGLE|HADOOP|HWCLOUD|JFS|KRB5|MINIO|QINIU|SCW)[A-Z0-9_]+$/;
const variableOf = (option: string): string | undefined => KEYS.get(option) ?? (OF_CLIENTS.test(option) ? option : undefined);

/**
 * A store that `juicefs sync` reaches by its URL.
 * @param at its field
 * @throws InvalidSpec with all that is wrong with it.
 */
export function externalEnd(uri: string, options: readonly EncryptOption[] = [], at: string): End {
  const hasKeys = options.some(({ name }) => KEYS.has(name));
  const { place, env } = together({
    place: () => placeOf(uri, hasKeys, `${at}.uri`),
    env: () => envOf(options, `${at}.encryptOptions`),
  });
  return { ...place, env, hasKeys };
}

function placeOf(uri: string, hasKeys: boolean, at: string): Pick<End, 'url' | 'name'> {
  const [, scheme = '', host = '', path = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(.*)$/is.exec(uri) ?? [];
  const kind = scheme.toLowerCase();
  const isOfNode = kind === 'local' || kind === 'file';
  // A user in front of an "@" has a password, also where the scheme is missing.
  const found = uri.includes('@') ? `…${uri.slice(uri.lastIndexOf('@'))}` : uri;
  must(!isOfNode, at, 'pvc://<claim>[/<path>] or the URL of a store: pods run on any node', found);
  must(host && kind !== 'pvc', at, 'pvc://<claim>[/<path>] or a URL that juicefs sync knows', found);
  const afterUser = host.lastIndexOf('@') + 1;
  must(!hasKeys || afterUser === 0, at, 'a URL without a user, since encryptOptions have one', uri.slice(0, scheme.length + 3));
  // JuiceFS would take an "@" in a path for the end of a user. Of SFTP it decodes none.
  const escaped = kind === 'sftp' ? path : path.replaceAll('@', '%40');
  return { url: `${scheme}://${host}${escaped}`, name: `${scheme}://${host.slice(afterUser)}${path}` };
}

function envOf(options: readonly EncryptOption[], at: string): readonly EnvVar[] {
  const secrets = secretOptions(options, at).flatMap((option) => {
    const variable = variableOf(option.option);
    return variable === undefined ? [] : [{ ...option, variable }];
  });
  const named = new Set(options.map(({ name }) => name));
  must(!named.has('token') || (named.has('access-key') && named.has('secret-key')), at, 'access-key and secret-key beside token', [
    ...named,
  ]);
  return secretEnv(secrets);
}

/** Credentials of an external store that nothing reads, and those that everybody reads. */
export const externalWarnings = (uri: string, options: readonly EncryptOption[] = [], at: string): readonly Warning[] => [
  ...(/^[^/]*:\/\/[^/@:]*:[^/@]*@/.test(uri) ? [ignored(`${at}.uri`, 'its credentials are visible in the Job; use encryptOptions')] : []),
  ...options.flatMap(({ name }, i) =>
    variableOf(name) === undefined
      ? [ignored(`${at}.encryptOptions[${i}]`, 'JuiceFS knows access-key, secret-key, token and the variables of its clients of stores')]
      : [],
  ),
];
