import { clientNumber } from '../../api/sidecars.ts';
import { withoutTrailing } from '../../api/trailing.ts';

/** Longest name of a volume and of a container. */
const LONGEST = 63;

/** Names that no volume or container of the pod has yet. */
export interface FreshNames {
  /** `wanted`, or something like it if that is taken or too long. The name is taken from now on. */
  take(wanted: string): string;
}

export function freshNames(taken: Iterable<string>): FreshNames {
  const names = new Set(taken);
  return {
    take(wanted) {
      let name = cut(wanted, '');
      for (let i = 1; names.has(name); i++) name = cut(wanted, `-${i}`);
      names.add(name);
      return name;
    },
  };
}

const cut = (name: string, suffix: string): string => withoutTrailing(name.slice(0, LONGEST - suffix.length), '-') + suffix;

/** One more than the highest number of a client in the pod. */
export const nextNumber = (containers: readonly { readonly name: string }[]): number =>
  // Fluid puts `init-` before the name of an init container.
  Math.max(-1, ...containers.map(({ name }) => clientNumber(name.replace(/^init-/, '')) ?? -1)) + 1;
