import type { Volume } from '../../src/api/index.ts';
import { fromBase64, type Mounted, must, type PlanInput, type SecretNeed, type SecretOption } from '../../src/constructs/index.ts';
import { type Images, imagesOf, isAtLeast } from './images.ts';
import { keyOptions, type Source, STORES } from './mounts.ts';
import type { JindoRuntimeSpec } from './spec.ts';

/** The first version, of masters and clients, that reads keys from files. */
const READS_FILES = [4, 6, 8] as const;
const DIRECTORY = '/token';
const VOLUME = 'jindofs-secret-token';

/** Keys of a store as text, for a file that only a Secret may hold if `isSecret`. */
export interface Keys {
  readonly id: string;
  readonly secret: string;
  readonly isSecret: boolean;
}
export interface Credentials {
  /** Pods find keys in files: those of `spec.secret`, or of options. */
  readonly hasToken: boolean;
  /** The credentials are keys of options, in a directory for each bucket of OSS. */
  readonly isByBucket: boolean;
  readonly mounted: readonly Mounted[];
  /** Keys that the configuration has to hold. */
  readonly keys: ReadonlyMap<Source, Keys>;
}

type Input = PlanInput<JindoRuntimeSpec>;

/** A runtime without masters needs only a client that reads files. */
const readsFiles = ({ spec }: Pick<Input, 'spec'>, { engine, fuse }: Images): boolean =>
  isAtLeast(fuse.tag, READS_FILES) && ((spec.master?.disabled && spec.worker?.disabled) || isAtLeast(engine.tag, READS_FILES));

/** The controller reads keys only for versions that cannot read files. */
export function credentialNeeds(input: Input, options: readonly SecretNeed[]): readonly SecretNeed[] {
  const inline = !readsFiles(input, imagesOf(input));
  const { secret } = input.spec;
  return [...options.map((need) => ({ ...need, ...(inline && { inline }) })), ...(secret ? [{ name: secret }] : [])];
}

/** How Jindo gets its keys; `images` says what it can read. */
export function credentialsOf(input: Input, sources: readonly Source[], images: Images): Credentials {
  const { secret } = input.spec;
  const stores = sources.filter(({ scheme }) => STORES.includes(scheme));
  const pairs = stores.flatMap((source): (readonly [Source, Pair])[] => {
    const pair = pairOf(source);
    return pair ? [[source, pair]] : [];
  });
  const byFile = readsFiles(input, images);
  const items = byFile ? itemsOf(pairs) : new Map<string, readonly Item[]>();
  return {
    hasToken: Boolean(secret) || items.size > 0,
    isByBucket: items.size > 0,
    mounted: mountedOf(secret, items),
    keys: new Map([
      ...stores.flatMap((source) => plainOf(source)),
      ...(byFile ? [] : pairs.map(([source, pair]): [Source, Keys] => [source, textsOf(pair, input)])),
    ]),
  };
}

interface Pair {
  readonly id: SecretOption;
  readonly secret: SecretOption;
}
interface Item {
  readonly key: string;
  readonly path: string;
}

function pairOf({ scheme, secrets, options, field }: Source): Pair | undefined {
  const [idOption, secretOption] = keyOptions(scheme);
  const [id, secret] = [secrets.get(idOption), secrets.get(secretOption)];
  if (!id && !secret) return undefined;
  const missing = id ? secretOption : idOption;
  must(
    id && secret,
    `${field}.encryptOptions`,
    `${missing} too: a store asks for both`,
    options[missing] === undefined ? undefined : 'it in options',
  );
  return { id, secret };
}

/** Credentials that users wrote in plain text. */
function plainOf(source: Source): readonly [Source, Keys][] {
  const [idOption, secretOption] = keyOptions(source.scheme);
  const { [idOption]: id = '', [secretOption]: secret = '' } = source.options;
  return (id || secret) && !source.secrets.has(idOption) ? [[source, { id, secret, isSecret: false }]] : [];
}

/** Files by Secret. Each bucket of OSS has its own pair; any other store has one. */
function itemsOf(pairs: readonly (readonly [Source, Pair])[]): ReadonlyMap<string, readonly Item[]> {
  const taken = new Map<string, string>();
  const items = new Map<string, Item[]>();
  for (const [{ scheme, bucket, field }, { id, secret }] of pairs) {
    const directory = scheme === 'oss' ? `${bucket}/` : '';
    for (const [file, option] of [
      ['AccessKeyId', id],
      ['AccessKeySecret', secret],
    ] as const) {
      const path = `${directory}${file}`;
      const origin = `${option.secret}/${option.key}`;
      const before = taken.get(path) ?? origin;
      must(
        before === origin,
        `${field}.encryptOptions`,
        `${before}, as another mount of the ${directory ? 'bucket' : 'stores beside OSS'} has`,
        origin,
      );
      if (!taken.has(path)) items.set(option.secret, [...(items.get(option.secret) ?? []), { key: option.key, path }]);
      taken.set(path, origin);
    }
  }
  return items;
}

function mountedOf(secretName: string | undefined, items: ReadonlyMap<string, readonly Item[]>): readonly Mounted[] {
  if (!secretName && items.size === 0) return [];
  const mount = { name: VOLUME, mountPath: DIRECTORY, readOnly: true };
  if (secretName && items.size === 0) return [{ volume: { name: VOLUME, secret: { secretName } }, mount }];
  const sources: NonNullable<NonNullable<Volume['projected']>['sources']> = [
    ...(secretName ? [{ secret: { name: secretName } }] : []),
    ...[...items].map(([name, list]) => ({ secret: { name, items: [...list] } })),
  ];
  return [{ volume: { name: VOLUME, projected: { sources } }, mount }];
}

/** Keys that the controller read. */
function textsOf({ id, secret }: Pair, { facts }: Input): Keys {
  const text = (option: SecretOption): string => {
    const data = facts.secrets[option.secret]?.[option.key] ?? '';
    const value = fromBase64(data, `Secret ${option.secret}: data[${option.key}]`);
    must(!/\p{Cc}/u.test(value), `Secret ${option.secret}: data[${option.key}]`, 'one line of text', 'several');
    return value;
  };
  return { id: text(id), secret: text(secret), isSecret: true };
}
