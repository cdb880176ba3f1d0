import type { KubeObject } from '../../kube/types.ts';
import type { Kept } from '../world.ts';
import { some } from '../../planning/some.ts';

/** Kubernetes' own, which say only that a pod or a claim uses the object. */
const IN_USE: ReadonlySet<string> = new Set(['kubernetes.io/pvc-protection', 'kubernetes.io/pv-protection']);

/** An object that is being deleted, and the finalizers that keep it; nothing for any other. */
export function keptOf(object: KubeObject | undefined): readonly Kept[] {
  const { deletionTimestamp, finalizers = [], name } = object?.metadata ?? { name: '' };
  const keepers = deletionTimestamp ? finalizers.filter((each) => !IN_USE.has(each)) : [];
  return keepers.length > 0 ? [{ object: `${object?.kind}/${name}`, finalizers: keepers }] : [];
}

/** `being deleted, and kept by finalizers: ConfigMap/demo (example.com/hold)`; undefined if there is none. */
export const keptText = (all: readonly Kept[]): string | undefined =>
  all.length === 0
    ? undefined
    : `being deleted, and kept by finalizers: ${some(all, ({ object, finalizers }) => `${object} (${some(finalizers)})`)}`;

/** The end of a text about one object. */
export const keptBy = (object: KubeObject | undefined): string =>
  keptOf(object)
    .map(({ finalizers }) => `; it is kept by finalizers: ${some(finalizers)}`)
    .join('');
