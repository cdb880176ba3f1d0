import { type CustomResource, type Fault, InvalidSpec, referenceIn, shown, type Static, type TSchema, workloadName } from '../api/index.ts';
import type {
  BasePlan,
  CacheUse,
  Diagnosis,
  Engine,
  EngineDefinition,
  Engines,
  PlanInput,
  Runtime,
  RuntimeDefinition,
  RuntimeInput,
} from './contract.ts';
import { engine } from './engine.ts';
import { withinReason } from './limits.ts';

const notFor = (type: string, reference: string): Fault => ({
  path: 'spec.mounts[0].mountPoint',
  expected: `a source that ${type} can read: references are of other runtimes`,
  found: shown(reference),
});

/** `s-h-<engine>-m-<uid>` is the key of a node label: 63 − 4 − 3 − 36. */
const NAME = /^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$/;

/**
 * A runtime from its definition: with one engine, or with several and `engineOf`. The result has no type parameters.
 * @throws Error when the name of the type or of an engine cannot be part of a node label.
 * @example
 * const acme = (resource: CustomResource, AcmeFuse: ComponentClass<BasePlan>): Runtime =>
 *   defineRuntime({
 *     type: 'acme',
 *     resource,
 *     needs: ({ dataset }) => ({ secrets: optionNeeds(dataset.spec) }),
 *     plan: (input) => basePlan(input, { mountType: 'fuse.acme', mountDir: 'acme-fuse' }),
 *     components: { fuse: AcmeFuse },
 *   });
 */
export function defineRuntime<S extends TSchema, P extends BasePlan, C = CacheUse>(
  definition: RuntimeDefinition<S> & EngineDefinition<Static<S>, P, C>,
): Runtime;
export function defineRuntime<S extends TSchema>(definition: RuntimeDefinition<S> & Engines<Static<S>>): Runtime;
export function defineRuntime<S extends TSchema, P extends BasePlan, C>(
  definition: RuntimeDefinition<S> & (EngineDefinition<Static<S>, P, C> | Engines<Static<S>>),
): Runtime {
  const {
    type,
    resource,
    companions = [],
    images = [],
    env = [],
    hostPorts = [],
    secrets = [],
    workloads: suffixes = {},
    statusShape,
    fluidsWorkloads,
    install,
    forReferences,
  } = definition;
  const isOne = 'plan' in definition;
  const engines = new Map<string, Engine<Static<S>>>(isOne ? [[type, engine(definition)]] : Object.entries(definition.engines));
  for (const name of [type, ...engines.keys()])
    if (!NAME.test(name))
      throw new Error(`runtime ${type}: expected a type of at most 20 lower-case letters, digits and dashes, found ${shown(name)}`);
  const workloads = (name: string) => ({
    master: workloadName(name, suffixes.master ?? 'master'),
    worker: workloadName(name, suffixes.worker ?? 'worker'),
    fuse: workloadName(name, suffixes.fuse ?? 'fuse'),
  });

  function chosen(input: RuntimeInput<unknown>): readonly [Engine<Static<S>>, PlanInput<Static<S>>] {
    withinReason(input);
    // The one cast: callers of `needs` and `bind` have parsed the spec with `resource`.
    const typed = input as RuntimeInput<Static<S>>;
    const name = isOne ? type : (input.facts.engine ?? definition.engineOf(typed));
    const found = engines.get(name);
    if (!found) throw new Error(`runtime ${type}: expected one of the engines ${[...engines.keys()].join(', ')}, found ${shown(name)}`);
    const { kind }: CustomResource = resource;
    return [found, { ...typed, runtime: { kind, type, engine: name, workloads: workloads(input.name) } }];
  }
  return {
    type,
    resource,
    companions,
    images,
    env: [...new Set([...images.map(({ variable }) => variable), ...env])],
    hostPorts,
    secrets,
    engines: [...engines.keys()],
    operations: [...new Set([...engines.values()].flatMap(({ operations }) => operations))],
    ...(statusShape && { statusShape }),
    install: (installation) => install?.(installation) ?? [],
    ...(fluidsWorkloads && { fluidsWorkloads }),
    ...(forReferences && { forReferences }),
    workloads,
    needs(input) {
      const [asked, typed] = chosen(input);
      const needs = asked.needs(typed);
      // The controller would not read its record back, and would allocate the port again.
      const unnamed = needs.ports?.find(({ name }) => !hostPorts.includes(name));
      if (unnamed)
        throw new Error(`runtime ${type}: expected hostPorts to name every port that is needed, found ${shown(unnamed.name)} too`);
      return needs;
    },
    bind(input) {
      const [asked, typed] = chosen(input);
      const reference = forReferences ? undefined : referenceIn(input.dataset.spec);
      if (reference !== undefined) throw new InvalidSpec(notFor(type, reference), { object: `Dataset ${input.namespace}/${input.name}` });
      return asked.bind(typed);
    },
    // The cast: callers have parsed the spec with `resource`.
    diagnosis: (name = type) => engines.get(name)?.diagnosis as Diagnosis<unknown> | undefined,
  };
}
