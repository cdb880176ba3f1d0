import { must } from '../../src/constructs/index.ts';
import type { Credentials } from './credentials.ts';
import type { EngineName } from './engines.ts';
import { keyOptions, type Source, STORES } from './mounts.ts';

export type Properties = Readonly<Record<string, string>>;

/** Properties of the stores, by process. Names of properties of masters and workers begin with the engine, of clients with `fs`. */
export interface StoreProperties {
  /** Properties of masters and workers. */
  readonly stores: Properties;
  /** Properties of every process: where credentials come from. */
  readonly credentials: Properties;
  /** Properties of clients. */
  readonly client: Properties;
  /** Properties of clients, in the section that all of a client's libraries read; only if keys of options are files. */
  readonly clientCommon: Properties;
}

const TOKEN = 'secrets:///token/';
const provider = (scheme: string) => `com.aliyun.jindodata.${scheme}.auth.CustomCredentialsProvider`;

export function storeProperties(
  engine: EngineName,
  sources: readonly Source[],
  { hasToken, isByBucket, keys }: Credentials,
): StoreProperties {
  const settings = merged(sources, keys);
  const named = (prefix: string): Properties => Object.fromEntries(settings.map(([key, value]) => [`${prefix}.${key}`, value]));
  const [stores, ofClient] = [named(engine), named('fs')];
  const schemes = [...new Set(sources.map(({ scheme }) => scheme))].filter((scheme) => STORES.includes(scheme));
  const oss = sources.filter(({ scheme }) => scheme === 'oss');
  const endpoints = new Set(oss.map(endpointOf));
  const [endpoint] = endpoints.size === 1 ? endpoints : [];
  const single = (...names: readonly string[]): Properties =>
    endpoint === undefined ? {} : Object.fromEntries(names.map((name) => [name, endpoint]));
  const buckets = isByBucket
    ? [...new Set(oss.filter(({ secrets }) => secrets.has(keyOptions('oss')[0])).map(({ bucket }) => bucket))]
    : [];
  const each = (list: readonly string[], of: (name: string) => Properties): Properties => Object.assign({}, ...list.map(of)) as Properties;
  const providers: Properties = {
    ...each(hasToken ? schemes : [], (scheme) => ({
      [`aliyun.${scheme}.provider.url`]: TOKEN,
      [`fs.${scheme}.provider.endpoint`]: TOKEN,
      [`fs.${scheme}.provider.format`]: 'JSON',
    })),
    ...each(buckets, (bucket) => ({
      [`aliyun.oss.bucket.${bucket}.provider.url`]: `${TOKEN}${bucket}/`,
      [`fs.oss.bucket.${bucket}.credentials.provider`]: provider('oss'),
      [`fs.oss.bucket.${bucket}.provider.endpoint`]: `${TOKEN}${bucket}/`,
      [`fs.oss.bucket.${bucket}.provider.format`]: 'JSON',
    })),
  };
  return {
    stores,
    credentials: {
      'default.credential.provider': hasToken ? TOKEN : 'none',
      ...single(`${engine}.oss.endpoint`),
      ...each(hasToken ? schemes : [], (scheme) => ({
        [`${engine}.${scheme}.provider.endpoint`]: TOKEN,
        ...(isByBucket && { [`${engine}.${scheme}.provider.format`]: 'JSON' }),
      })),
      ...each(buckets, (bucket) => ({
        [`${engine}.oss.bucket.${bucket}.credentials.provider`]: provider('oss'),
        [`${engine}.oss.bucket.${bucket}.provider.endpoint`]: `${TOKEN}${bucket}/`,
        [`${engine}.oss.bucket.${bucket}.provider.format`]: 'JSON',
      })),
    },
    client: {
      ...ofClient,
      ...single('aliyun.oss.endpoint', 'fs.oss.endpoint', `${engine}.oss.endpoint`),
      ...providers,
      ...each(hasToken ? schemes : [], (scheme) => ({ [`fs.${scheme}.credentials.provider`]: provider(scheme) })),
    },
    clientCommon: isByBucket ? { ...ofClient, ...single('aliyun.oss.endpoint', 'fs.oss.endpoint'), ...providers } : {},
  };
}

const endpointOf = ({ options, field }: Source): string => {
  const { 'fs.oss.endpoint': endpoint } = options;
  must(endpoint, `${field}.options[fs.oss.endpoint]`, 'the endpoint of the bucket, such as oss-cn-shanghai.aliyuncs.com', endpoint);
  return endpoint;
};

/** Settings of one mount, without the name of the engine. Those of OSS are of a bucket, those of others of all mounts of that kind. */
function settingsOf(source: Source, keys: Credentials['keys']): readonly (readonly [string, string])[] {
  const { scheme, bucket, options } = source;
  if (scheme === 'local') return [];
  if (!STORES.includes(scheme))
    // HDFS, and what else Jindo reads: any option is a property of the same name.
    return Object.entries(options).flatMap(([key, value]) => (key.startsWith('fs.') ? [[key.slice('fs.'.length), value] as const] : []));
  const prefix = scheme === 'oss' ? `oss.bucket.${bucket}` : scheme;
  const { id, secret } = keys.get(source) ?? {};
  const known = ['endpoint', ...(scheme === 's3' ? ['region'] : [])];
  return [
    ...(scheme === 'oss'
      ? [
          [`${prefix}.endpoint`, endpointOf(source)] as const,
          // A bucket with the interface of a file system.
          ...(endpointOf(source).includes('dls') ? [[`${prefix}.data.lake.storage.enable`, 'true'] as const] : []),
        ]
      : known.flatMap((name) =>
          options[`fs.${scheme}.${name}`] ? [[`${prefix}.${name}`, options[`fs.${scheme}.${name}`] as string] as const] : [],
        )),
    ...(id ? [[`${prefix}.accessKeyId`, id] as const] : []),
    ...(secret ? [[`${prefix}.accessKeySecret`, secret] as const] : []),
  ];
}

/** Two mounts may say the same, and nothing else, of what they share. */
function merged(sources: readonly Source[], keys: Credentials['keys']): readonly (readonly [key: string, value: string])[] {
  const settings = new Map<string, string>();
  for (const source of sources)
    for (const [key, value] of settingsOf(source, keys)) {
      // Not shown: it may be a secret.
      must((settings.get(key) ?? value) === value, `${source.field}.options`, `the same fs.${key} as another mount has`, 'another');
      settings.set(key, value);
    }
  return [...settings];
}
