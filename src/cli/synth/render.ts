import { type Dataset, InvalidSpec, joinedName, label, type Manifest, rivalNames } from '../../api/index.ts';
import { pathText } from '../../api/wording.ts';
import type { BoundRuntime, Part, RuntimeInput, Settings } from '../../constructs/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { identityOf } from '../../reconciler/identity.ts';
import { gatherFacts } from '../../reconciler/kubernetes/plans/facts.ts';
import { createPortTable } from '../../reconciler/kubernetes/store/port-table.ts';
import { type PortAllocator, portAllocator } from '../../reconciler/kubernetes/plans/ports.ts';
import { type Key, keyText, type RuntimeObject } from '../../reconciler/world.ts';
import { type Absent, answersFrom, noFacts, unknownUid } from './answers.ts';
import type { InputFault, Path } from '../input/documents.ts';
import { BadInput } from '../input/faults.ts';
import { mentionOf } from '../input/mentions.ts';
import { pairFaults } from '../input/pairs.ts';
import { faultAt, type Input, type Item, keyOf, type RuntimeItem, refOf } from '../input/read.ts';
import { secretKeyFaults } from '../input/secret-keys.ts';
import { among, inOrder, type Lookup } from './lookup.ts';

/** The order in which the lifecycle makes things; a test holds them together. */
const PARTS: readonly Part[] = ['master', 'fuse', 'worker', 'volume', 'claim'];

export interface Rendered {
  readonly key: Key;
  /** Its UID is the cluster's, or `<uid:Kind/name>`. */
  readonly object: RuntimeObject;
  readonly bound: BoundRuntime;
  readonly manifests: readonly Manifest[];
}
export interface RenderOptions {
  readonly settings: Settings;
  /** Where to look for what is not in the input. */
  readonly elsewhere: Lookup;
  /** Secrets whose contents do not matter are taken to be there. */
  readonly assumeSecrets?: boolean;
}

/** What the reconciler would apply for each dataset of the input, in the order of the input. Throws BadInput with every fault. */
export async function renderAll(input: Input, options: RenderOptions): Promise<readonly Rendered[]> {
  const context = await contextOf(input, options);
  const faults: InputFault[] = [...input.faults, ...pairFaults(input)];
  const rendered: Rendered[] = [];
  const runtimes = Map.groupBy(input.runtimes, ({ object }) => keyText(keyOf(object)));
  for (const dataset of input.datasets) {
    const [runtime, ...others] = runtimes.get(keyText(keyOf(dataset.object))) ?? [];
    if (!runtime || others.length > 0) continue;
    const result = await render(dataset, runtime, context);
    if (Array.isArray(result)) faults.push(...(result as readonly InputFault[]));
    else rendered.push(result as Rendered);
  }
  if (faults.length > 0) throw new BadInput(faults);
  return rendered;
}

interface Context extends Required<RenderOptions> {
  readonly input: Input;
  /** The input, then elsewhere. */
  readonly lookup: Lookup;
  readonly ports: PortAllocator;
  /** Of the runtimes of the input. */
  readonly engines: readonly string[];
  /** All that are known, by `<namespace>-<name>`. */
  readonly datasets: ReadonlyMap<string, readonly KubeObject[]>;
}

async function contextOf(input: Input, { settings, elsewhere, assumeSecrets = false }: RenderOptions): Promise<Context> {
  const kinds = new Map(input.runtimes.map(({ object, runtime }) => [object.kind, runtime]));
  const known = (await Promise.all([...kinds.keys()].map((kind) => elsewhere.list(kind)))).flat();
  const written = input.runtimes.map(({ object }) => object);
  const taken = createPortTable();
  for (const object of [...written, ...known]) {
    const runtime = kinds.get(object.kind);
    if (runtime) taken.seen(object, runtime);
  }
  const lookup = inOrder(among(input.all.map(({ object }) => object)), elsewhere);
  return {
    input,
    settings,
    elsewhere,
    assumeSecrets,
    lookup,
    datasets: Map.groupBy(await lookup.list('Dataset'), (dataset) => joinedName(keyOf(dataset))),
    ports: portAllocator(settings, 'bitmap', taken),
    engines: [...new Set(input.runtimes.flatMap(({ runtime }) => runtime.engines))],
  };
}

/** The objects of one dataset, or what is wrong with it. */
async function render(dataset: Item<Dataset>, item: RuntimeItem, context: Context): Promise<Rendered | readonly InputFault[]> {
  const { input, settings, elsewhere, lookup, ports, assumeSecrets } = context;
  const { runtime } = item;
  const key = keyOf(dataset.object);
  const absent = new Map<string, Absent>();
  const absences = () => [...absent.values()].map((each) => absenceFault(each, [item, dataset, ...input.all]));
  try {
    const live = (await elsewhere.find(item.object.kind, key.namespace, key.name)) as RuntimeObject | undefined;
    // Which engine it has stands in its status.
    const object = { ...identified(item.object, live), ...(live?.status && { status: live.status }) };
    const given = { ...(await inputFor(key, object, dataset.object, context)), settings };
    const answers = await answersFrom({
      key,
      object,
      lookup,
      runtime,
      assumeSecrets,
      // Nobody knows a UID yet: ports are kept for a name.
      allocate: (need) => ports(keyText(key), runtime.type, need),
      onAbsent: (each) => absent.set(`${each.kind}/${each.namespace}/${each.name}`, each),
    });
    const keys = secretKeyFaults(
      dataset,
      input.all.map((each) => each.object).filter(({ kind }) => kind === 'Secret'),
    );
    // Once before the real asking, which ends at the first thing that is missing.
    const needs = runtime.needs({ ...given, facts: noFacts });
    for (const { kind, name } of needs.objects ?? []) await answers.object(kind, name);
    for (const claim of needs.claims ?? []) await answers.claim(claim);
    for (const configMap of needs.configMaps ?? []) await answers.keys(configMap);
    for (const secret of needs.secrets ?? []) await answers.secret(secret);
    const gathered = await gatherFacts(runtime, given, answers);
    // A Secret that must only be there is no reason not to look for more faults.
    if (keys.length > 0 || ('reason' in gathered && absent.size > 0)) return [...keys, ...absences()];
    if ('reason' in gathered) throw new InvalidSpec({ path: 'spec', expected: 'what can be planned', found: gathered.message });
    const bound = runtime.bind({ ...given, facts: gathered.facts });
    const manifests = PARTS.flatMap((part) => bound.synth(part));
    return absent.size > 0 ? absences() : { key, object, bound, manifests };
  } catch (error) {
    if (!(error instanceof InvalidSpec)) throw error;
    return [...faultsOf(error, dataset, item, input.all), ...absences()];
  }
}

async function inputFor(
  key: Key,
  object: RuntimeObject,
  asked: Dataset,
  { elsewhere, datasets, engines }: Context,
): Promise<Omit<RuntimeInput<unknown>, 'facts' | 'settings'>> {
  const dataset = identified(asked, await elsewhere.find('Dataset', key.namespace, key.name));
  const rivals = rivalNames(key, engines).flatMap((name) => datasets.get(name) ?? []);
  const namesakes = rivals.filter((other) => keyText(keyOf(other)) !== keyText(key));
  const claim = await elsewhere.find('PersistentVolumeClaim', key.namespace, key.name);
  const isOurs = claim?.metadata.labels?.[label.owner] === object.metadata.uid;
  const claimed = isOurs ? (claim?.['spec'] as { volumeName?: string } | undefined)?.volumeName : undefined;
  return {
    ...key,
    uid: object.metadata.uid ?? '',
    annotations: object.metadata.annotations ?? {},
    spec: object.spec,
    dataset: {
      identity: identityOf(key, { dataset, runtime: object, namesakes, claimed }),
      annotations: dataset.metadata.annotations ?? {},
      spec: dataset.spec,
    },
  };
}

/** With the UID, and the annotations and labels that controllers added, of the object as the cluster has it. */
function identified<T extends Pick<Dataset, 'kind' | 'metadata'>>(object: T, live: Pick<Dataset, 'metadata'> | undefined): T {
  const { metadata } = object;
  const before = live?.metadata;
  return {
    ...object,
    metadata: {
      ...before,
      ...metadata,
      uid: metadata.uid ?? before?.uid ?? unknownUid(object),
      annotations: { ...before?.annotations, ...metadata.annotations },
      labels: { ...before?.labels, ...metadata.labels },
    },
  };
}

/** The faults of a plan, at the lines of the object that they are about: that which they name, or a field of it, else the runtime. */
function faultsOf(
  { object, faults }: InvalidSpec,
  dataset: Item<Dataset>,
  runtime: RuntimeItem,
  all: readonly Item[],
): readonly InputFault[] {
  return faults.map((fault) => {
    const named = fault.object ?? object;
    const item = named === undefined ? runtime : [dataset, ...all].find((each) => `${named}:`.startsWith(`${refOf(each.object)}:`));
    // Of an object that is not in the input, where it comes in.
    if (!item) return { ...runtime.source.at(['spec', 'profileName']), ...fault, object: named ?? refOf(runtime.object) };
    const field = named?.slice(refOf(item.object).length + 2);
    if (!field) return faultAt(item.source, item.object, { ...fault, object: refOf(item.object) });
    return { ...faultAt(item.source, item.object, { ...fault, path: field, object: refOf(item.object) }), path: `${field}: ${fault.path}` };
  });
}

function absenceFault({ kind, namespace, name, note }: Absent, items: readonly [Item, ...Item[]]): InputFault {
  const { item, path } = mentionOf(items, kind, name) ?? { item: items[0], path: ['spec'] as Path };
  const expected = `${kind} ${namespace ? `${namespace}/` : ''}${name}${note ? `, ${note}` : ''}`;
  return {
    ...item.source.at(path),
    object: refOf(item.object),
    path: pathText(path),
    expected,
    found: 'none in the input or the facts',
    missing: true,
  };
}
