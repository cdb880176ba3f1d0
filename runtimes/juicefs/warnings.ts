import { type DatasetSpec, keyPath, quantity, shown } from '../../src/api/index.ts';
import { ignored, type Options, separatorsIn, type Warning } from '../../src/constructs/index.ts';
import { isForFormat, unknownIn } from './options.ts';

const MOUNT = 'spec.mounts[0]';
const SECRET = ['metaurl', 'access-key', 'secret-key', 'token', 'access-key2', 'secret-key2'];
const PLAIN = ['storage', 'bucket', 'bucket2', 'quota'];
const GIB = 2 ** 30;

/** Fields of a Dataset that Fluid ignores, and those that are probably meant in another way. */
export function sourceWarnings(
  { mounts = [], sharedOptions, sharedEncryptOptions = [] }: DatasetSpec,
  isCommunity: boolean,
): readonly Warning[] {
  const [mount] = mounts;
  const { quota } = mount?.options ?? {};
  const secrets = [
    ...sharedEncryptOptions.map(({ name }) => ({ name, path: 'spec.sharedEncryptOptions' })),
    ...(mount?.encryptOptions ?? []).map(({ name }) => ({ name, path: `${MOUNT}.encryptOptions` })),
  ];
  return [
    ...(mounts.length > 1 ? [ignored('spec.mounts', `JuiceFS serves the first of ${mounts.length} mounts`)] : []),
    ...quotaWarnings(quota),
    ...(sharedOptions?.['quota'] === undefined ? [] : [ignored('spec.sharedOptions.quota', `is not set; write it into ${MOUNT}.options`)]),
    ...secrets.filter(({ name }) => name === 'quota').map(({ path }) => ignored(path, `quota is not set; write it into ${MOUNT}.options`)),
    ...secrets.flatMap(({ name, path }) => meant(name, path, SECRET)),
    ...(
      [
        ['spec.sharedOptions', sharedOptions],
        [`${MOUNT}.options`, mount?.options],
      ] as const
    ).flatMap(([path, options]) => [
      ...Object.keys(options ?? {}).flatMap((name) => meant(name, keyPath(path, name), PLAIN)),
      ...Object.keys(options ?? {}).flatMap((name) =>
        name === 'metaurl' || name === 'token' ? [ignored(keyPath(path, name), 'is read among encryptOptions only')] : [],
      ),
      ...separatorsIn(forClients(options), path),
      ...(isCommunity ? unknownIn(forClients(options), path) : []),
    ]),
    ...(isCommunity
      ? secrets
          .filter(({ name }) => !SECRET.includes(name) && name !== 'quota' && !isForFormat(name))
          .map(({ name, path }) => ignored(path, `${shown(name)} is a variable of the pods; juicefs format has no such option`))
      : []),
  ];
}

function quotaWarnings(quota: string | undefined): readonly Warning[] {
  const field = `${MOUNT}.options.quota`;
  const amount = quota === undefined ? 0 : quantity(quota, field) / GIB;
  const effect = `the directory gets ${Math.floor(amount)}Gi, as JuiceFS counts whole GiB`;
  return Number.isInteger(amount) ? [] : [ignored(field, `expected whole Gi, found ${shown(quota)}; ${effect}`)];
}

/** All but the options that only `format`, `auth` and `quota` get. */
const forClients = ({ storage: _s, bucket: _b, quota: _q, ...options }: Options = {}): Options => options;

const bare = (name: string): string => name.toLowerCase().replaceAll(/[-_.]/g, '');

/** A name that is a known one but for case, dashes or one letter. */
function meant(name: string, path: string, known: readonly string[]): readonly Warning[] {
  if (known.includes(name) || name.length > 32) return [];
  const near = known.find((each) => edits(bare(each), bare(name)) <= 1);
  return near ? [{ reason: 'SpecAmbiguous', message: `${path}: JuiceFS knows no ${name}; did you mean ${near}?` }] : [];
}

/** How many letters lie between what both begin and both end with. */
function edits(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let from = 0;
  while (from < shorter && a[from] === b[from]) from++;
  let to = 0;
  while (to < shorter - from && a.at(-1 - to) === b.at(-1 - to)) to++;
  return Math.max(a.length, b.length) - from - to;
}
