import { type Dataset, InvalidSpec, type Manifest } from '../../api/index.ts';
import { type BoundRuntime, PRINT_ORDER, type Runtime, type Settings } from '../../constructs/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { gatherFacts } from '../../planning/facts.ts';
import { createPortTable } from '../../planning/port-table.ts';
import { type PortAllocator, portAllocator } from '../../planning/ports.ts';
import { type Key, keyOf, keyText } from '../../planning/key.ts';
import type { RuntimeObject } from '../../planning/objects.ts';
import { type Absent, sourcesFrom, noFacts } from './fact-sources.ts';
import type { InputFault } from '../input/documents.ts';
import { BadInput, ELSEWHERE } from '../input/faults.ts';
import { pairFaults } from '../input/pairs.ts';
import { type InputObjects, type Item, refOf, type RuntimeItem } from '../input/read.ts';
import { secretKeyFaults } from '../input/secret-keys.ts';
import { among, CLUSTER, inOrder, type Lookup, noneIn } from './lookup.ts';
import { withOtherHalves } from './other-halves.ts';
import { renderOperation, type RenderedOperation } from './operations.ts';
import { absenceFault, faultsOf } from './plan-faults.ts';
import { referenceFrom, withReferences } from './references.ts';
import { byJoinedName, identified, inputFor, type NamingContext } from './runtime-input.ts';
import { servingIn } from './served.ts';
import { checkTemplate } from './template-faults.ts';

export interface RenderedRuntime {
  readonly key: Key;
  readonly dataset: Dataset;
  /** The UID is the cluster's, or `<uid:Kind/name>`. */
  readonly object: RuntimeObject;
  readonly warnings: readonly string[];
  /** Bound anew whenever it is read, as are the manifests: those of thousands of runtimes would take a gigabyte. */
  readonly bound: BoundRuntime;
  readonly manifests: readonly Manifest[];
}
export interface RenderOptions {
  readonly settings: Settings;
  /** All known runtimes: a Dataset of an operation may be outside of the input. */
  readonly runtimes: readonly Runtime[];
  /** Where to look for objects outside of the input. */
  readonly elsewhere: Lookup;
  /** Secrets whose contents are not needed are assumed to exist. */
  readonly assumeSecrets?: boolean;
}

export interface Rendering {
  readonly datasets: readonly RenderedRuntime[];
  readonly operations: readonly RenderedOperation[];
}

/** The objects that the controller would apply for each Dataset and operation, in the order of the input. Throws BadInput with every fault. */
export async function renderAll(...args: Parameters<typeof renderValid>): Promise<Rendering> {
  const { faults, ...rendered } = await renderValid(...args);
  if (faults.length > 0) throw new BadInput(faults, args[1].elsewhere.places.includes(CLUSTER) ? undefined : ELSEWHERE);
  return rendered;
}

/** The same of all that is valid, and the faults of the rest. */
export async function renderValid(
  given: InputObjects,
  options: RenderOptions,
  /** Gets all manifests in their order, although faults may follow. */
  onManifests: (manifests: readonly Manifest[]) => void = () => {},
): Promise<Rendering & { readonly faults: readonly InputFault[] }> {
  const input = await withOtherHalves(withReferences(given, options.runtimes), options.elsewhere, options.runtimes);
  const context = await contextOf(input, options);
  // A Dataset outside of the input is rendered once, with its faults, for all operations on it.
  const faults = new Set<InputFault>([...input.faults, ...pairFaults(input, noneIn(options.elsewhere))]);
  const datasets: RenderedRuntime[] = [];
  const operations: RenderedOperation[] = [];
  const runtimes = Map.groupBy(input.runtimes, ({ object }) => keyText(keyOf(object)));
  for (const dataset of input.datasets) {
    const [runtime, ...others] = runtimes.get(keyText(keyOf(dataset.object))) ?? [];
    if (!runtime || others.length > 0) continue;
    const result = await render(dataset, runtime, context, onManifests);
    keep(result, datasets);
  }
  // An operation does not depend on the Secrets of its runtimes; its names depend on all other objects.
  const engines = [...new Set(options.runtimes.flatMap((each) => each.engines))];
  const serving = servingIn(context, datasets, (dataset, runtime) =>
    render(dataset, runtime, { ...context, assumeSecrets: true, engines }),
  );
  for (const operation of input.operations)
    keep(await renderOperation(operation, { ...context, written: input.operations, serving, onManifests }), operations);
  return { datasets, operations, faults: [...faults] };

  function keep<T extends object>(result: T | readonly InputFault[], rendered: T[]): void {
    if (!Array.isArray(result)) rendered.push(result as T);
    else for (const fault of result as readonly InputFault[]) faults.add(fault);
  }
}

interface RenderContext extends Required<RenderOptions>, NamingContext {
  readonly input: InputObjects;
  /** The input, then elsewhere. */
  readonly lookup: Lookup;
  readonly ports: PortAllocator;
  /** A Secret of the input. */
  readonly secret: (namespace: string | undefined, name: string) => KubeObject | undefined;
}

async function contextOf(
  input: InputObjects,
  { settings, runtimes, elsewhere, assumeSecrets = false }: RenderOptions,
): Promise<RenderContext> {
  const kinds = new Map(input.runtimes.map(({ object, definition }) => [object.kind, definition]));
  const known = (await Promise.all([...kinds.keys()].map((kind) => elsewhere.list(kind)))).flat();
  const written = input.runtimes.map(({ object }) => object);
  const taken = createPortTable();
  for (const object of [...written, ...known]) {
    const definition = kinds.get(object.kind);
    if (definition) taken.seen(object, definition);
  }
  const secrets = new Map(
    input.all
      .filter(({ object }) => object.kind === 'Secret')
      .map(({ object }) => [`${object.metadata.namespace}/${object.metadata.name}`, object]),
  );
  const lookup = inOrder(among(input.all.map(({ object }) => object)), elsewhere);
  return {
    input,
    settings,
    runtimes,
    elsewhere,
    assumeSecrets,
    lookup,
    secret: (namespace, name) => secrets.get(`${namespace}/${name}`),
    datasets: byJoinedName(await lookup.list('Dataset')),
    ports: portAllocator(settings, 'bitmap', taken),
    engines: [...new Set(input.runtimes.flatMap(({ definition }) => definition.engines))],
  };
}

/** The objects of one dataset, or what is wrong with it. */
async function render(
  dataset: Item<Dataset>,
  item: RuntimeItem,
  context: RenderContext,
  onManifests?: (manifests: readonly Manifest[]) => void,
): Promise<RenderedRuntime | readonly InputFault[]> {
  const { input, settings, elsewhere, lookup, ports, assumeSecrets } = context;
  const { definition } = item;
  const key = keyOf(dataset.object);
  const absent = new Map<string, Absent>();
  const absences = () => [...absent.values()].map((each) => absenceFault(each, [item, dataset], input.all, elsewhere));
  /** Another Dataset of the input. */
  const renderedOf = async (need: Key): Promise<RenderedRuntime | undefined> => {
    const isIt = ({ object }: Item) => keyText(keyOf(object)) === keyText(need);
    const [of, by] = [input.datasets.find(isIt), input.runtimes.find(isIt)];
    if (!of || !by) return undefined;
    const result = await render(of, by, context);
    return 'bound' in result ? result : undefined;
  };
  try {
    const live = (await elsewhere.find(item.object.kind, key.namespace, key.name)) as RuntimeObject | undefined;
    // The status has the engine of the runtime.
    const object = { ...identified(item.object, live), ...(live?.status && { status: live.status }) };
    const given = { ...(await inputFor(key, object, dataset.object, context)), settings };
    const sources = await sourcesFrom({
      key,
      object,
      lookup,
      definition,
      assumeSecrets,
      // The UID may not be known yet, so ports are allocated by name.
      allocate: (need) => ports(keyText(key), definition.type, need),
      reference: (need) => referenceFrom(key, need, context, () => renderedOf(need)),
      onAbsent: (each) => absent.set(`${each.kind}/${each.namespace}/${each.name}`, each),
    });
    const keys = secretKeyFaults(dataset, context.secret);
    // Asked here once already, since gatherFacts ends at the first object that is missing.
    const needs = definition.needs({ ...given, facts: noFacts });
    for (const { kind, name } of needs.objects ?? []) await sources.object(kind, name);
    for (const claim of needs.claims ?? []) await sources.claim(claim);
    for (const configMap of needs.configMaps ?? []) await sources.keys(configMap);
    for (const secret of needs.secrets ?? []) await sources.secret(secret);
    const gathered = await gatherFacts(definition, given, sources);
    // A Secret that only has to exist does not keep the plan from finding more faults.
    if (keys.length > 0 || ('reason' in gathered && absent.size > 0)) return [...keys, ...absences()];
    if ('reason' in gathered) throw new InvalidSpec({ path: 'spec', expected: 'what can be planned', found: gathered.message });
    const { facts } = gathered;
    const bind = () => definition.bind({ ...given, facts });
    const synth = (bound: BoundRuntime) => PRINT_ORDER.flatMap((part) => bound.synth(part));
    const bound = bind();
    const manifests = synth(bound);
    checkTemplate(manifests, { dataset: refOf(dataset.object), runtime: refOf(item.object) });
    if (absent.size > 0) return absences();
    onManifests?.(manifests);
    return {
      key,
      dataset: dataset.object,
      object,
      warnings: bound.plan.warnings.map(({ message }) => message),
      get bound() {
        return bind();
      },
      get manifests() {
        return synth(bind());
      },
    };
  } catch (error) {
    if (!(error instanceof InvalidSpec)) throw error;
    return [...faultsOf(error, dataset, item, input.all), ...absences()];
  }
}
