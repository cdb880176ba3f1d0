import { label } from '../api/index.ts';
import { podCommonLabels } from './base-plan.ts';
import { selectorOf } from './component.ts';
import type { BasePlan } from './contract.ts';
import type { PodFields } from './pod-base.ts';
import { ignored, type Warning } from './warnings.ts';

type Texts = Readonly<Record<string, string>>;

/**
 * Labels and annotations of `spec.podMetadata`, and of that of a component, that Sluice writes itself. Its values count: selectors, and what
 * Fluid's users have installed, look for them.
 */
export function labelWarnings(plan: BasePlan, spec: unknown): readonly Warning[] {
  const annotations: Texts = { [label.istioInject]: 'false' };
  const labels: Texts = { ...podCommonLabels(plan), ...annotations };
  const selecting = new Set((['master', 'worker', 'fuse'] as const).flatMap((role) => Object.keys(selectorOf(plan, role))));
  const differsFrom =
    (own: Texts) =>
    ([key, value]: readonly [string, string]) =>
      Object.hasOwn(own, key) && own[key] !== value;
  const among = (path: string, { podMetadata }: PodFields) => [
    ...Object.entries(podMetadata?.labels ?? {})
      .filter((each) => selecting.has(each[0]) || differsFrom(labels)(each))
      .map(([key]) => `${path}.podMetadata.labels[${key}]`),
    ...Object.entries(podMetadata?.annotations ?? {})
      .filter(differsFrom(annotations))
      .map(([key]) => `${path}.podMetadata.annotations[${key}]`),
  ];
  const fields = (spec ?? {}) as Readonly<Record<string, PodFields | null>>;
  return [...among('spec', fields as PodFields), ...Object.entries(fields).flatMap(([field, of]) => among(`spec.${field}`, of ?? {}))].map(
    (path) => ignored(path, 'Sluice writes it, with a value of its own'),
  );
}
