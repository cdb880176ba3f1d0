import { InvalidSpec } from '../../src/api/index.ts';
import { must, type PlanInput } from '../../src/constructs/index.ts';
import type { CacheRuntimeClass, ClassComponent } from './class-spec.ts';
import type { CacheRuntimeSpec, ComponentSpec } from './spec.ts';

/** A component's name in the class, and in the variables of its pods. */
export type Component = 'master' | 'worker' | 'client';
export const COMPONENTS: readonly Component[] = ['master', 'worker', 'client'];

/** One component: what the class says of it, and what the runtime says. */
export interface PlannedComponent {
  readonly component: Component;
  readonly base: ClassComponent;
  readonly own: ComponentSpec;
  /** Options of the class, of the runtime and of its component, the later ones over the earlier. */
  readonly options: Readonly<Record<string, string>>;
  /** Replicas of a component that has a number of pods. */
  readonly replicas: number;
  /** The component's headless Service; empty if the class asks for none. */
  readonly service: string;
}
export type Parts = Readonly<Partial<Record<Component, PlannedComponent>>>;

type Input = PlanInput<CacheRuntimeSpec>;

const classKey = (name: string): string => `CacheRuntimeClass/${name}`;

/** The class as it was parsed when it was looked up. */
export function classOf({ spec, facts }: Input): CacheRuntimeClass {
  const found = facts.objects[classKey(spec.runtimeClassName)];
  must(found, 'spec.runtimeClassName', 'the name of a CacheRuntimeClass', spec.runtimeClassName);
  return found as CacheRuntimeClass;
}

/**
 * The components that exist: those of the class that the runtime does not disable.
 * @throws InvalidSpec when none does, or one has no container
 */
export function partsOf({ name, spec }: Input, { metadata, spec: { topology = {} } }: CacheRuntimeClass): Parts {
  const object = `CacheRuntimeClass ${metadata.name}`;
  const parts: Partial<Record<Component, PlannedComponent>> = {};
  for (const component of COMPONENTS) {
    const base = topology[component];
    const own: ComponentSpec & { readonly replicas?: number } = spec[component] ?? {};
    if (!base || own.disabled) continue;
    if (!base.template?.spec?.containers?.length)
      throw new InvalidSpec(
        { path: `topology.${component}.template.spec.containers`, expected: 'at least one container', found: 'none' },
        { object },
      );
    const { image, imageTag } = own.runtimeVersion ?? {};
    if (!base.template.spec.containers[0]?.image && !(image && imageTag))
      throw new InvalidSpec(
        {
          path: `topology.${component}.template.spec.containers[0].image`,
          expected: `an image, or image and imageTag of spec.${component}.runtimeVersion of the runtime`,
          found: 'none',
        },
        { object },
      );
    parts[component] = {
      component,
      base,
      own,
      options: { ...base.options, ...spec.options, ...own.options },
      replicas: own.replicas ?? 1,
      service: base.service?.headless ? serviceName(name, component) : '',
    };
  }
  if (Object.keys(parts).length === 0)
    throw new InvalidSpec(
      { path: 'topology', expected: 'a master, a worker or a client that the runtime does not disable', found: 'none' },
      { object },
    );
  return parts;
}

const serviceName = (runtime: string, component: Component): string => `svc-${runtime}-${component}`;
