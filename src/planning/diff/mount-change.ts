import type { MountChange, MountRow } from '../../constructs/index.ts';
import { equal } from './merge-patch.ts';
import type { MountsInForce } from '../plan-in-force.ts';

export const differences = (table: MountsInForce, mounted: readonly MountRow[]): MountChange =>
  table.differences?.(mounted) ?? mountChange(table.wanted, mounted);

/** The change that leads from the mounted rows to the wanted ones. */
export function mountChange(wanted: readonly MountRow[], mounted: readonly MountRow[]): MountChange {
  const asked = new Map(wanted.map((row) => [row.path, row]));
  const found = new Map(mounted.map((row) => [row.path, row]));
  return {
    unmount: mounted.filter((row) => !isAlike(asked.get(row.path), row)).map(({ path }) => path),
    mount: wanted.filter((row) => !isAlike(row, found.get(row.path))),
  };
}

export const pathsOf = ({ unmount, mount }: MountChange): readonly string[] =>
  [...new Set([...unmount, ...mount.map(({ path }) => path)])].toSorted();

/** The change without these paths. */
export const without = ({ unmount, mount }: MountChange, paths: ReadonlySet<string>): MountChange => ({
  unmount: unmount.filter((path) => !paths.has(path)),
  mount: mount.filter(({ path }) => !paths.has(path)),
});

/** A field that one of the rows does not have is not compared: few engines list the options of a mount. */
const isAlike = (a: MountRow | undefined, b: MountRow | undefined): boolean =>
  a !== undefined && b !== undefined && isSame(a.source, b.source) && isSame(a.options, b.options);
const isSame = (a: unknown, b: unknown): boolean => a === undefined || b === undefined || equal(a, b);

/** Names of the options that only one of two rows has, or that have different values. */
export function differingOptions({ options: a }: Partial<MountRow> = {}, { options: b }: Partial<MountRow> = {}): readonly string[] {
  if (!a || !b) return [];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => a[key] !== b[key]).toSorted();
}
