import { canonicalQuantity, quantity } from '../../api/units.ts';
import type { Container, PodSpec, ResourceRequirements } from '../../api/index.ts';

type Amounts = Readonly<Record<string, string>>;

/**
 * The resources of a whole pod, if its user gave it any, with those of containers that come into it. Kubernetes rejects a pod that requests
 * less than its containers do.
 */
export function podResources(whole: PodSpec['resources'], containers: readonly Container[]): Pick<PodSpec, 'resources'> {
  if (!whole) return {};
  const each = containers.map(({ resources }) => resources);
  return {
    resources: {
      ...whole,
      ...(whole.requests && {
        requests: sum(
          whole.requests,
          each.map((of) => ({ ...of?.limits, ...of?.requests })),
        ),
      }),
      ...(whole.limits && { limits: sum(whole.limits, each.map(atLeastRequested)) }),
    },
  };
}

const atLeastRequested = (of: ResourceRequirements | undefined): Amounts => ({ ...of?.requests, ...of?.limits });

/** Sums the resources that the pod names. An amount that cannot be read is left for the API server to reject. */
function sum(whole: Amounts, others: readonly Amounts[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(whole).map(([name, amount]) => {
      const more = others.flatMap((each) => each[name] ?? []);
      try {
        const total = [amount, ...more].reduce((all, each) => all + quantity(each, name), 0);
        return [name, more.length === 0 ? amount : canonicalQuantity(total, name)];
      } catch {
        return [name, amount];
      }
    }),
  );
}
