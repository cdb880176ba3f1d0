import type { Monotonic } from '../../kube/clock.ts';
import { hash } from 'node:crypto';
import type { Dataset } from '../../api/index.ts';
import type { OperationWorld } from './world.ts';
import { isServed } from '../../planning/views.ts';

/** When this process saw mounts change, by the operation that runs after that. After a restart it begins anew. */
export interface MountsClock {
  /** @param last the mounts that the operation's latest run found, if it has run */
  see(uid: string, datasets: readonly (Dataset | undefined)[], last: string | undefined): NonNullable<OperationWorld['mounts']>;
  forget(uid: string): void;
}

export function createMountsClock(clock: Monotonic): MountsClock {
  const seen = new Map<string, { readonly digest: string; readonly since: number }>();
  return {
    see(uid, datasets, last) {
      const digest = digestOf(datasets);
      const before = seen.get(uid) ?? { digest: last ?? digest, since: -Infinity };
      const mounts = before.digest === digest ? before : { digest, since: clock.monotonic() };
      seen.set(uid, mounts);
      return { digest, unchangedMs: clock.monotonic() - mounts.since };
    },
    forget: (uid) => void seen.delete(uid),
  };
}

/** The mounts in effect, in any order and spelling; empty while one of the Datasets is not bound. A Dataset that was replaced has others. */
function digestOf(datasets: readonly (Dataset | undefined)[]): string {
  const texts = datasets.map((dataset) => {
    if (!dataset || !isServed(dataset)) return undefined;
    const { mounts = [] } = dataset.status ?? {};
    return JSON.stringify([dataset.metadata.uid, canonical(mounts.map(stated))]);
  });
  return texts.includes(undefined) ? '' : hash('sha256', texts.join('\n'), 'buffer').toString('hex', 0, 8);
}

/** Without what says the same as its absence. */
const stated = ({ name, path, ...rest }: Fields): Fields =>
  Object.fromEntries(Object.entries({ ...rest, name, path: path || `/${name}` }).filter(([, value]) => !isDefault(value)));
const isDefault = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** No list in a mount has an order that matters. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => JSON.stringify(canonical(each))).toSorted();
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([key, each]) => [key, canonical(each)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}
type Fields = Readonly<Record<string, unknown>>;
