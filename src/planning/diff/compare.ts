import { isRecord } from '../../api/is-record.ts';

/**
 * Lists that the API server merges by a key, by field name. Entries are matched by key; all other lists are compared in order.
 * Source: x-kubernetes-list-map-keys of the kinds that we write.
 */
export const MERGED_BY: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  env: ['name'],
  ports: ['containerPort', 'port', 'protocol'],
  volumes: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  resourceClaims: ['name'],
  claims: ['name'],
  schedulingGates: ['name'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  imagePullSecrets: ['name'],
  ownerReferences: ['uid'],
};
/** Lists of plain values that are sets. */
export const SETS = new Set(['finalizers']);

/** Structures that have a meaning even when they are empty. */
export const PRESENT = new Set(['emptyDir']);

/** One leaf that differs from what is desired. */
export interface Difference {
  readonly path: string;
  readonly desired: unknown;
  readonly live: unknown;
}

/** Where the live object differs from what we apply. Fields that we do not apply are not ours and not compared. */
export function differencesIn(desired: object, live: object): readonly Difference[] {
  const found: Difference[] = [];
  compare(desired, live, '', '', found);
  return found;
}
export const differences = (desired: object, live: object): readonly string[] => differencesIn(desired, live).map(({ path }) => path);

function compare(desired: unknown, live: unknown, path: string, field: string, found: Difference[]): void {
  if (desired === live) return;
  if (Array.isArray(desired)) return compareLists(desired, live, path, field, found);
  if (isRecord(desired) && isRecord(live)) {
    for (const key of Object.keys(desired)) compare(desired[key], live[key], path === '' ? key : `${path}.${key}`, key, found);
    return;
  }
  // The API server leaves out empty structures and zero values.
  if (live !== undefined || !isZero(desired) || PRESENT.has(field)) found.push({ path, desired, live });
}

function compareLists(desired: readonly unknown[], live: unknown, path: string, field: string, found: Difference[]): void {
  const differ = () => found.push({ path, desired, live });
  if (!Array.isArray(live)) {
    if (live !== undefined || desired.length > 0) differ();
    return;
  }
  const keys = MERGED_BY[field];
  if (keys && desired.every(isRecord)) {
    const keyOf = mergeKey(keys);
    const byKey = new Map(live.map((entry) => [keyOf(entry), entry]));
    for (const entry of desired) compare(entry, byKey.get(keyOf(entry)), `${path}[${keyOf(entry)}]`, '', found);
    return;
  }
  if (SETS.has(field)) {
    if (!desired.every((entry) => live.includes(entry))) differ();
    return;
  }
  if (desired.length !== live.length) {
    differ();
    return;
  }
  desired.forEach((entry, i) => compare(entry, live[i], `${path}[${i}]`, '', found));
}

/** By what the API server tells the entries of a list apart that it merges by these keys. */
export const mergeKey =
  (keys: readonly string[]) =>
  (entry: unknown): string =>
    keys.map((key) => (isRecord(entry) ? (entry[key] ?? (key === 'protocol' ? 'TCP' : '')) : '')).join('/');

export const isZero = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  value === 0 ||
  (Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.values(value).every(isZero));
