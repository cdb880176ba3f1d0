/**
 * Lists that the API server merges by a key, by field name. Entries are matched by key; all other lists are compared in order.
 * Source: x-kubernetes-list-map-keys of the kinds that we write.
 */
const MERGED_BY: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  env: ['name'],
  ports: ['containerPort', 'port', 'protocol'],
  volumes: ['name'],
  volumeMounts: ['mountPath'],
  imagePullSecrets: ['name'],
  ownerReferences: ['uid'],
};
/** Lists of plain values that are sets. */
const SETS = new Set(['finalizers']);

/** The paths at which the live object does not have what we send. Fields that we do not send are not ours and not looked at. */
export function differences(desired: object, live: object): readonly string[] {
  const found: string[] = [];
  compare(desired, live, '', '', found);
  return found;
}

function compare(desired: unknown, live: unknown, path: string, field: string, found: string[]): void {
  if (desired === live) return;
  if (Array.isArray(desired)) return compareLists(desired, live, path, field, found);
  if (isRecord(desired)) {
    if (!isRecord(live)) {
      // The API server leaves out empty structures and zero values.
      if (live !== undefined || !isZero(desired)) found.push(path);
      return;
    }
    for (const key of Object.keys(desired)) compare(desired[key], live[key], path === '' ? key : `${path}.${key}`, key, found);
    return;
  }
  if (live === undefined && isZero(desired)) return;
  found.push(path);
}

function compareLists(desired: readonly unknown[], live: unknown, path: string, field: string, found: string[]): void {
  if (!Array.isArray(live)) {
    if (live !== undefined || desired.length > 0) found.push(path);
    return;
  }
  const keys = MERGED_BY[field];
  if (keys && desired.every(isRecord)) {
    const keyOf = (entry: unknown) =>
      keys.map((key) => (isRecord(entry) ? (entry[key] ?? (key === 'protocol' ? 'TCP' : '')) : '')).join('/');
    const byKey = new Map(live.map((entry) => [keyOf(entry), entry]));
    for (const entry of desired) compare(entry, byKey.get(keyOf(entry)), `${path}[${keyOf(entry)}]`, '', found);
    return;
  }
  if (SETS.has(field)) {
    if (!desired.every((entry) => live.includes(entry))) found.push(path);
    return;
  }
  if (desired.length !== live.length) {
    found.push(path);
    return;
  }
  desired.forEach((entry, i) => compare(entry, live[i], `${path}[${i}]`, '', found));
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const isZero = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  value === 0 ||
  (Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.values(value).every(isZero));
