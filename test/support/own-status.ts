import type { KubeObject } from '../../src/kube/types.ts';

/** A status without the conditions of kstatus, which test/health is about: they repeat the others. */
export function ownStatus<S>({ kind, status = {} }: Partial<KubeObject> = {}): Partial<S> {
  const { conditions } = status as { readonly conditions?: readonly { readonly type: string; readonly status?: string }[] };
  if (!conditions) return status as Partial<S>;
  const repeats = kind !== 'Dataset' || conditions.some((each) => each.type === 'NotReady' && each.status === 'True');
  const left = repeats ? ['Ready', 'Reconciling', 'Stalled'] : ['Reconciling', 'Stalled'];
  // The cast: the status of an object of ours, but for some conditions.
  return { ...(status as object), conditions: conditions.filter(({ type }) => !left.includes(type)) } as unknown as Partial<S>;
}
