interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/**
 * A status without the conditions by which other tools see how an object stands: test/reconciler/status/standing.test.ts is about these. They
 * follow from the other conditions, which most tests are about. `Ready` of a Dataset is Fluid's own where it is not the last word on set-up.
 */
export function withoutStanding<S extends object>(kind: string, status: S): S {
  const { conditions, ...rest } = status as Status;
  if (!conditions) return status;
  const isUnready = conditions.some((each) => each.type === 'NotReady' && each.status === 'True');
  const isOwn = ({ type }: { readonly type: string }) => kind !== 'Dataset' || isUnready || type !== 'Ready';
  const kept = conditions.filter((each) => !(['Reconciling', 'Stalled'].includes(each.type) || (each.type === 'Ready' && isOwn(each))));
  return { ...rest, conditions: kept } as S;
}
