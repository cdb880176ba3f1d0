import { ApiObject, App, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { type Manifest, shown, type Static, type TSchema } from '../api/index.ts';
import type { BasePlan, BoundProbe, BoundRuntime, Part, PlanInput, Probe, Role, Runtime, RuntimeDefinition } from './contract.ts';
import { withinReason } from './limits.ts';
import { DatasetClaim, DatasetVolume } from './volume.ts';

/** `s-h-<type>-m-<uid>` is the key of a node label: 63 − 4 − 3 − 36. */
const TYPE = /^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$/;

/** Erases a definition's type parameters: what is left is asked for plans and manifests, and knows nothing of specs. */
export function defineRuntime<S extends TSchema, P extends BasePlan>(definition: RuntimeDefinition<S, P>): Runtime {
  const { name, type = name, resource, companions = [], env = [] } = definition;
  if (!TYPE.test(type))
    throw new Error(`runtime ${name}: expected a type of at most 20 lower-case letters, digits and dashes, found ${shown(type)}`);
  // The one cast: whoever calls `needs` and `bind` has parsed the spec with `resource`.
  const typed = (input: PlanInput<unknown>) => {
    withinReason(input);
    return input as PlanInput<Static<S>>;
  };
  return {
    name,
    type,
    resource,
    companions,
    env,
    needs: (input) => definition.needs?.(typed(input)) ?? {},
    bind: (input) => bound(definition, definition.plan(typed(input))),
  };
}

function bound<S extends TSchema, P extends BasePlan>(definition: RuntimeDefinition<S, P>, plan: P): BoundRuntime {
  const { components, mounts, probes = {}, cleanup, cacheStates, syncsMetadata = () => true } = definition;
  const probe = <T>({ commands, parse }: Probe<P, T>): BoundProbe<T> => ({
    commands: commands(plan),
    parse: (answers) => parse(answers, plan),
  });
  const roles = (['master', 'fuse', 'worker'] as const).filter(
    (role) => components[role] && (role === 'fuse' || plan.replicas[role] !== undefined),
  );
  const rendered = new Map<Part, readonly Manifest[]>();
  return {
    plan,
    roles,
    synth(part) {
      const before = rendered.get(part);
      if (before) return before;
      const manifests = synth(plan, (chart) => render(part, chart));
      rendered.set(part, manifests);
      return manifests;
    },
    ...(mounts && {
      mounts: { list: probe(mounts.list), wanted: mounts.wanted(plan), unmount: (path: string) => mounts.unmount(plan, path) },
    }),
    probes: {
      ...(probes.cache && { cache: probe(probes.cache) }),
      ...(probes.ufs && syncsMetadata(plan) && { ufs: probe(probes.ufs) }),
    },
    cacheStates: (seen) => cacheStates?.(plan, seen),
    ...(cleanup && {
      cleanup: {
        ...(cleanup.ask?.commands(plan).length && { ask: probe(cleanup.ask) }),
        commands: (found: unknown) => cleanup.commands(plan, found),
      },
    }),
  };

  function render(part: Part, scope: Construct): unknown {
    if (part === 'volume') return new DatasetVolume(scope, plan);
    if (part === 'claim') return new DatasetClaim(scope, plan);
    const Component = roles.includes(part) ? components[part satisfies Role] : undefined;
    return Component && new Component(scope, plan);
  }
}

/** One App per runtime: an App with many charts costs more than the sum of its charts. */
function synth(plan: BasePlan, populate: (chart: Chart) => unknown): readonly Manifest[] {
  const chart = new Chart(new App(), plan.name, { namespace: plan.namespace, disableResourceNameHashes: true });
  populate(chart);
  const all = chart.node.findAll();
  // Ours depend on nothing and check nothing; to have cdk8s look for both takes longer than to render.
  const isPlain = all.every(
    (each) => each.node.dependencies.length === 0 && each.node.validate().length === 0 && (each === chart || !Chart.isChart(each)),
  );
  return (isPlain ? all.filter((each) => ApiObject.isApiObject(each)).map((each) => each.toJson()) : chart.toJson()) as Manifest[];
}
