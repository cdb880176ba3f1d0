import { verifiedFieldsOf } from '../../api/index.ts';
import { isRecord } from '../../api/is-record.ts';
import { MERGED_BY, mergeKey } from './compare.ts';

/** Defaults of the API server for fields that a pod template leaves out. Source: pkg/apis/core/v1/defaults.go of Kubernetes 1.34. */
const DEFAULTS: Readonly<Record<string, readonly unknown[]>> = {
  terminationMessagePath: ['/dev/termination-log'],
  terminationMessagePolicy: ['File'],
  imagePullPolicy: ['Always', 'IfNotPresent'],
  procMount: ['Default'],
  protocol: ['TCP'],
  apiVersion: ['v1'],
  timeoutSeconds: [1],
  periodSeconds: [10],
  successThreshold: [1],
  failureThreshold: [3],
  scheme: ['HTTP'],
  path: ['/'],
  defaultMode: [0o644],
  expirationSeconds: [3600],
  volumeMode: ['Filesystem'],
};

/**
 * Paths of what a live pod spec has, of all that the webhook uses, beside what was rendered and what the API server fills in. A default that is missing here costs a write
 * that changes nothing.
 */
export function additionsIn(rendered: Readonly<Record<string, unknown>>, live: Readonly<Record<string, unknown>>): readonly string[] {
  const found: string[] = [];
  compare(verifiedFieldsOf(rendered), verifiedFieldsOf(live), '', '', found);
  return found;
}

function compare(rendered: unknown, live: unknown, path: string, field: string, found: string[]): void {
  if (rendered === live || isEmpty(live)) return;
  if (Array.isArray(live)) return compareLists(Array.isArray(rendered) ? rendered : [], live, path, field, found);
  if (isRecord(live) && (isRecord(rendered) || rendered === undefined)) {
    if (rendered === undefined && Object.keys(live).length === 0) return;
    for (const [key, value] of Object.entries(live)) {
      const at = path === '' ? key : `${path}.${key}`;
      if (!isFilledIn(key, value, rendered)) compare(rendered?.[key], value, at, key, found);
    }
    return;
  }
  found.push(path);
}

/** A number or `false` that the API server shows was written by somebody: a zero where nothing was rendered may mean root, or no grace. */
const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.values(value).every(isEmpty));

/** Ports of the host's network are its own. */
function isFilledIn(key: string, live: unknown, rendered: Readonly<Record<string, unknown>> | undefined): boolean {
  if (rendered?.[key] !== undefined) return false;
  if (key === 'hostPort') return live === rendered?.['containerPort'];
  return DEFAULTS[key]?.includes(live) ?? false;
}

function compareLists(rendered: readonly unknown[], live: readonly unknown[], path: string, field: string, found: string[]): void {
  const keys = MERGED_BY[field];
  if (keys && live.every(isRecord)) {
    const keyOf = mergeKey(keys);
    const byKey = new Map(rendered.map((entry) => [keyOf(entry), entry]));
    for (const entry of live) {
      const own = byKey.get(keyOf(entry));
      if (own === undefined) found.push(`${path}[${keyOf(entry)}]`);
      else compare(own, entry, `${path}[${keyOf(entry)}]`, '', found);
    }
    return;
  }
  // Other values, fewer and more: a comparison with what was rendered shows them too.
  if (live.length > rendered.length) found.push(path);
  else live.forEach((entry, i) => void compare(rendered[i], entry, `${path}[${i}]`, '', found));
}
