import type { k8s } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/**
 * Remarks about nodes of Fluid's controllers whose taints Sluice's controller does not tolerate. Fluid's chart tolerates every taint, and a
 * cluster may have no node without.
 *
 * @param tolerations of Sluice's controller
 */
export function taintNotes(nodes: readonly KubeObject[], tolerations: unknown): readonly string[] {
  // The cast: the values were checked.
  const tolerated = (tolerations ?? []) as readonly k8s.Toleration[];
  return nodes.flatMap(({ metadata, spec }) => {
    const { taints = [] } = (spec ?? {}) as { readonly taints?: readonly Taint[] };
    const others = taints.filter((taint) => taint.effect !== 'PreferNoSchedule' && !tolerated.some((each) => tolerates(each, taint)));
    const names = others.map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`);
    return names.length === 0
      ? []
      : [
          `Fluid's controllers run on node ${metadata.name} with the taint ${names.join(', ')}, which Sluice's do not tolerate: set controller.tolerations unless other nodes are free`,
        ];
  });
}

/** kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration. */
function tolerates({ key, operator, value, effect }: k8s.Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (operator === 'Exists') return !key || key === taint.key;
  return key === taint.key && (value ?? '') === (taint.value ?? '');
}
