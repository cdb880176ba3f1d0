import type { MountChange, MountRow } from '../constructs/index.ts';
import { equal } from './merge-patch.ts';

/** What is to be done until what is mounted is what is wanted. */
export function mountChange(wanted: readonly MountRow[], mounted: readonly MountRow[]): MountChange {
  const asked = new Map(wanted.map((row) => [row.path, row]));
  const found = new Map(mounted.map((row) => [row.path, row]));
  return {
    unmount: mounted.filter((row) => !isAlike(asked.get(row.path), row)).map(({ path }) => path),
    mount: wanted.filter((row) => !isAlike(row, found.get(row.path))),
  };
}

/** What one of them does not say is not compared: few engines tell the options of a mount. */
const isAlike = (a: MountRow | undefined, b: MountRow | undefined): boolean =>
  a !== undefined && b !== undefined && isSame(a.source, b.source) && isSame(a.options, b.options);
const isSame = (a: unknown, b: unknown): boolean => a === undefined || b === undefined || equal(a, b);
