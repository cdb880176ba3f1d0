import { ApiObject, App, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Manifest } from '../api/index.ts';
import type {
  BasePlan,
  BoundProbe,
  BoundRuntime,
  CacheUse,
  Engine,
  EngineDefinition,
  MountRow,
  Operation,
  OperationClass,
  OperationKind,
  Operations,
  Part,
  PlanInput,
  Probe,
  Role,
  Observation,
} from './contract.ts';
import { ofSaidFields } from './go-zeros.ts';
import { operationWithinReason, storable } from './limits.ts';
import { operationWarnings } from './operation.ts';
import { readProbe } from './read-probe.ts';
import { labelWarnings } from './label-warnings.ts';
import { ProcessJob } from './process.ts';
import { type Blame, blameOf, heaviest, mountable, startable } from './startable.ts';
import { ignored, type Warning } from './warnings.ts';
import { DatasetClaim, DatasetVolumeObjects } from './volume.ts';

/**
 * One of several engines of a kind: hides the type of its plan.
 * @throws InvalidSpec from `bind`, when its plan does.
 * @example
 * const fast = engine<object, BasePlan>({
 *   plan: (input) => basePlan(input, { mountType: 'fuse.acme', mountDir: 'acme-fuse' }),
 *   components: {},
 * });
 * const engines: Engines<object> = { engines: { fast }, engineOf: () => 'fast' };
 */
export const engine = <Spec, P extends BasePlan, C = CacheUse>(definition: EngineDefinition<Spec, P, C>): Engine<Spec> => ({
  // The cast: the keys of `Operations` are kinds.
  operations: Object.keys(everyOperation(definition.operations)) as OperationKind[],
  ...(definition.diagnosis && { diagnosis: definition.diagnosis }),
  needs: (input) => definition.needs?.(input) ?? {},
  bind: (input) => bound(definition, withOwnWarnings(definition.plan(input), input), () => blameOf(input)),
});

/** A process reads through the claim of any engine. */
const everyOperation = <P>(own: Operations<P> = {}) => ({ DataProcess: ProcessJob, ...own });

function bound<Spec, P extends BasePlan, C>(definition: EngineDefinition<Spec, P, C>, plan: P, blame: Blame): BoundRuntime {
  const { components, leader, mounts, probes = {}, cleanup, reads, status, operations = {}, syncsMetadata = () => true } = definition;
  const probe = <T>(of: Probe<P, T>): BoundProbe<T> => ({
    commands: of.commands(plan),
    mostBytes: Math.min(of.mostBytes ?? BYTES_OF_FIGURES, BYTES_OF_TABLE),
    parse: (answers, before) => of.parse(answers, plan, before),
  });
  const known = (['master', 'fuse', 'worker'] as const).filter((role) => components[role]);
  const roles = known.filter((role) => (role === 'fuse' ? plan.fuse : plan.replicas[role]) !== undefined);
  const rendered = new Map<Part, readonly Manifest[]>();
  return {
    plan,
    roles,
    known,
    synth(part) {
      const before = rendered.get(part);
      if (before) return before;
      const manifests = synth(plan, (chart) => void render(part, chart), blame);
      rendered.set(part, manifests);
      return manifests;
    },
    ...(leader && { leader: probe(leader) }),
    ...(mounts &&
      mounts.list.commands(plan).length > 0 && {
        mounts: {
          list: tableOf(probe(mounts.list)),
          wanted: mountable(mounts.wanted(plan), (row) => mounts.change(plan, { unmount: [row.path], mount: [row] }), plan),
          change: (change) => mounts.change(plan, change),
        },
      }),
    probes: {
      ...(probes.cache && { cache: probe(probes.cache) }),
      ...(probes.ufs && syncsMetadata(plan) && { ufs: probe(probes.ufs) }),
      ...(reads && roles.includes('fuse') && { reads: readProbe(plan, reads) }),
    },
    // The cast: `seen` holds results of this definition's own probe.
    status: (seen) => status?.(plan, seen as Observation<C>) ?? {},
    ...(cleanup && {
      cleanup: {
        ...(cleanup.ask?.commands(plan).length && { ask: probe(cleanup.ask) }),
        commands: (found: unknown) =>
          cleanup.commands(plan, found).map((command) => ({ timeoutSeconds: plan.cleaning.graceSeconds, ...command })),
      },
    }),
    operations: Object.fromEntries(
      Object.entries(everyOperation(operations)).map(([kind, construct]) => {
        // The cast: the class of a kind takes operations of that kind.
        const Job = construct as OperationClass<P, OperationKind>;
        const operate = (operation: Operation) => {
          operationWithinReason(operation);
          return synth(
            operation,
            (chart) => void new Job(chart, plan, operation),
            () => ({ path: heaviest(operation.spec) }),
          );
        };
        return [kind, operate];
      }),
    ),
    operationWarnings: (operation) =>
      few(
        ofSaidFields(
          [
            ...operationWarnings(operation.spec),
            ...((operations[operation.kind] as OperationClass<P, OperationKind> | undefined)?.warnings?.(operation, plan) ?? []),
          ],
          operation,
        ),
      ),
    operationNeeds: (operation) =>
      (operations[operation.kind] as OperationClass<P, OperationKind> | undefined)?.needs?.(operation, plan) ?? {},
  };

  function render(part: Part, scope: Construct): unknown {
    if (part === 'volume') return new DatasetVolumeObjects(scope, plan);
    if (part === 'claim') return new DatasetClaim(scope, plan);
    const Component = roles.includes(part) ? components[part satisfies Role] : undefined;
    return Component && new Component(scope, plan);
  }
}

/** Pages of figures, of each pod; and a table with as many mounts as a Dataset may have. */
const [BYTES_OF_FIGURES, BYTES_OF_TABLE] = [64 << 10, 1 << 20];
/** Twice as many mounts as a Dataset may have: pods run what image a user likes, and each pass compares all of them. */
const MOST_ROWS = 4096;

const tableOf = ({ parse, ...list }: BoundProbe<readonly MountRow[]>): BoundProbe<readonly MountRow[]> => ({
  ...list,
  parse(answers, before) {
    const rows = parse(answers, before);
    if (rows.length > MOST_ROWS) throw new Error(`expected at most ${MOST_ROWS} mounts, found ${rows.length}`);
    return rows;
  },
});

/** People read them: tens of thousands, one for each option of each mount, would say no more. */
const MOST_WARNINGS = 100;
const withOwnWarnings = <P extends BasePlan>(plan: P, { spec, dataset }: Pick<PlanInput<unknown>, 'spec' | 'dataset'>): P => ({
  ...plan,
  warnings: few(ofSaidFields([...plan.warnings, ...labelWarnings(plan, spec)], { spec, dataset: dataset.spec })),
});
const few = (warnings: readonly Warning[]): readonly Warning[] =>
  warnings.length <= MOST_WARNINGS
    ? warnings
    : [
        ...warnings.slice(0, MOST_WARNINGS),
        ignored('spec', `${warnings.length - MOST_WARNINGS} more parts have no effect, or not all of theirs`),
      ];

/** One App per runtime: an App with many charts costs more than the sum of its charts. */
function synth(
  { name, namespace }: Pick<BasePlan, 'name' | 'namespace'>,
  populate: (chart: Chart) => void,
  blame: Blame,
): readonly Manifest[] {
  const chart = new Chart(new App(), name, { namespace, disableResourceNameHashes: true });
  populate(chart);
  const all = chart.node.findAll();
  // Sluice's constructs have no dependencies and no validations; cdk8s takes longer to search for them than to render.
  const isPlain = all.every(
    (each) => each.node.dependencies.length === 0 && each.node.validate().length === 0 && (each === chart || !Chart.isChart(each)),
  );
  const manifests = isPlain ? all.filter((each) => ApiObject.isApiObject(each)).map((each) => each.toJson()) : chart.toJson();
  return (manifests as Manifest[]).map((manifest) => startable(storable(manifest, undefined, blame), blame));
}
