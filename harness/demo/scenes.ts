import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CustomResource, crdOf, Dataset, GROUP, label, ThinRuntime, VERSION } from '../../src/api/index.ts';
import type { KubeClient } from '../../src/kube/contract.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import { ownedKinds, Secret, typeOf } from '../../src/planning/kinds.ts';
import { CALCULATING } from '../../src/reconciler/status/dataset.ts';
import { createIfAbsent, find, ignoreAbsent, Namespace, phaseOf, type Status, stateOf, statusOf, table, until } from './steps.ts';
import { documentsIn } from '../../src/cli/input/documents.ts';
import { type Progress, secondsText } from './progress.ts';

export interface Actors {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly progress: Progress;
  /** Ends every scene: nothing more is created or waited for. */
  readonly signal: AbortSignal;
}
export interface Stage extends Actors {
  readonly types: ReadonlyMap<string, ResourceType>;
  readonly examples: readonly KubeObject[];
  /** Those of the examples that existed before, and stay. */
  readonly before: ReadonlySet<KubeObject>;
  /** Monotonic, ms: from then on the API server does not delay creations of the kinds. */
  readonly quickFrom: number;
  /** Kubeconfig of a control plane that is ours. */
  readonly kubeconfig?: string;
}

const COUNTING_MS = 2_000;
const FILES = ['thin.yaml', 'juicefs.yaml', 'alluxio.yaml'];
const Crd: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

/**
 * Creates the kinds and a namespace; objects that existed before stay afterwards.
 *
 * @param delayMs the API server delays creations of a new kind by this time
 */
export async function install(
  actors: Actors,
  { resources, delayMs }: { readonly resources: readonly CustomResource[]; readonly delayMs: number },
  onEnd: (end: () => Promise<unknown>) => void,
): Promise<Stage> {
  const { client, namespace, progress, signal } = actors;
  const make = async (type: ResourceType, object: KubeObject) => {
    const { name } = object.metadata;
    // One that an earlier demo created may be terminating.
    const isStaying = async () => (await find(client, type, { name }))?.metadata.deletionTimestamp === undefined;
    await until(signal, isStaying, `${type.kind} ${name} is gone`);
    const isNew = await createIfAbsent(client, type, object);
    if (isNew) onEnd(() => client.delete(type, object.metadata, { propagation: 'Foreground' }));
    return isNew;
  };
  let quickFrom = 0;
  await progress.step('CRDs', async () => {
    const created = [];
    for (const resource of resources) created.push(await make(Crd, crdOf(resource) as KubeObject));
    await until(
      signal,
      async () => {
        const { resources: known = [] } = (await client.raw('GET', `/apis/${GROUP}/${VERSION}`).catch(() => ({}))) as {
          resources?: readonly { name: string }[];
        };
        return resources.every(({ plural }) => known.some(({ name }) => name === plural));
      },
      'the API server serves the CRDs',
    );
    if (created.includes(true)) quickFrom = performance.now() + delayMs;
    return `${resources.length} kinds of ${GROUP}`;
  });
  await progress.step('namespace', async () => {
    await make(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    return namespace;
  });
  const types = new Map<string, ResourceType>(
    [...resources.map(typeOf), ...Object.values(ownedKinds), Secret].map((type) => [type.kind, type]),
  );
  const examples = FILES.flatMap((file) => documentsIn(file, exampleText(file)).objects.map(({ value }) => value as KubeObject)).map(
    (object) => (types.get(object.kind)?.namespaced ? { ...object, metadata: { ...object.metadata, namespace } } : object),
  );
  const found = await Promise.all(examples.map((object) => find(client, typeFor({ types }, object), object.metadata)));
  return { ...actors, types, examples, quickFrom, before: new Set(examples.filter((_, i) => found[i])) };
}

/** Applies the examples and watches them to the end. */
export async function bind(stage: Stage): Promise<void> {
  const { client, progress, examples, namespace, signal, quickFrom } = stage;
  await until(signal, async () => performance.now() >= quickFrom, 'the API server has stopped delaying new kinds');
  progress.heading(`kubectl apply -n ${namespace} -f ${FILES.map((file) => `examples/${file}`).join(' -f ')}`);
  const began = performance.now();
  for (const object of examples) {
    signal.throwIfAborted();
    await createIfAbsent(client, typeFor(stage, object), object);
  }
  const watched = datasetsOf(stage).map(({ metadata }) => ({ name: metadata.name, ...watch(stage, metadata, began) }));
  for (const { name, bound, state } of watched)
    await progress.step(
      name,
      async (say) => {
        const timer = setInterval(() => say(state()), 50);
        return bound.finally(() => clearInterval(timer));
      },
      { timed: false },
    );
}

/** All concurrently, so that none waits for another. */
function watch(
  { client, signal }: Actors,
  dataset: KubeObject['metadata'],
  began: number,
): { readonly bound: Promise<string>; readonly state: () => string } {
  const reached = { dataset: 0, claim: 0 };
  let waiting = '';
  const bound = until(
    signal,
    async () => {
      const [object, claim] = await Promise.all([
        find(client, typeOf(Dataset), dataset),
        find(client, ownedKinds.PersistentVolumeClaim, dataset),
      ]);
      const at = performance.now() - began;
      if (phaseOf(object) === 'Bound') reached.dataset ||= at;
      if (phaseOf(claim) === 'Bound') reached.claim ||= at;
      waiting = statusOf(object).conditions?.at(-1)?.message ?? '';
      return reached.dataset > 0 && reached.claim > 0;
    },
    `dataset ${dataset.name} is Bound`,
  );
  return {
    bound: bound.then(() => `Bound after ${secondsText(reached.dataset)}, its PersistentVolumeClaim after ${secondsText(reached.claim)}`),
    state: () => (reached.dataset ? `Bound after ${secondsText(reached.dataset)}, its PersistentVolumeClaim not yet` : waiting),
  };
}

/** The Datasets as kubectl lists them, and every object that was created for them. */
export async function show(stage: Stage): Promise<void> {
  const { client, progress, namespace, signal, kubeconfig } = stage;
  const isCounted = ({ ufsTotal }: Status) => Boolean(ufsTotal) && ufsTotal !== CALCULATING;
  const whole = runtimesOf(stage).filter(({ kind }) => kind !== ThinRuntime.kind).length;
  const counted = async () => (await client.list(typeOf(Dataset), { namespace })).items.map(statusOf).filter(isCounted).length >= whole;
  // Some time for the counts in the background, and in a cluster of others no more, since some storage is large.
  await until(signal, counted, '', kubeconfig ? undefined : COUNTING_MS).catch(() => signal.throwIfAborted());
  progress.heading(`kubectl get datasets -n ${namespace}   (the table is made by the API server, and needs no kubectl)`);
  for (const line of await table(client, `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/datasets`)) progress.line(line);
  for (const runtime of runtimesOf(stage)) {
    progress.heading(`Objects created for ${runtime.kind} ${runtime.metadata.name}`);
    for (const object of await inventory(stage, runtime))
      progress.line(`  ${object.kind.padEnd(22)} ${object.metadata.name.padEnd(24)} ${stateOf(object)}`.trimEnd());
  }
}

/** A DaemonSet of Sluice's is deleted by hand. */
export async function repair(stage: Stage): Promise<void> {
  const { client, progress, namespace, signal } = stage;
  const name = `${runtimesOf(stage).at(-1)?.metadata.name}-fuse`;
  progress.heading(`kubectl delete daemonset -n ${namespace} ${name}`);
  await progress.step('drift', async () => {
    const { uid } = (await client.get(ownedKinds.DaemonSet, { namespace, name })).metadata;
    await client.delete(ownedKinds.DaemonSet, { namespace, name }, { propagation: 'Background' });
    await until(
      signal,
      async () => {
        const found = await find(client, ownedKinds.DaemonSet, { namespace, name });
        return found !== undefined && found.metadata.uid !== uid;
      },
      `DaemonSet ${name} is back`,
    );
    return `the controller has created DaemonSet ${name} again`;
  });
}

/** In any order: the controller tears runtimes down, caches included, and deletes Datasets last. */
export async function remove(stage: Stage): Promise<void> {
  const { client, progress, namespace, examples, before, signal } = stage;
  progress.heading(`kubectl delete -n ${namespace} -f ${FILES.map((file) => `examples/${file}`).join(' -f ')}`);
  await progress.step('removal', async (say) => {
    const made = (await Promise.all(runtimesOf(stage).map((runtime) => inventory(stage, runtime)))).flat();
    const ours = examples.filter((object) => !before.has(object));
    for (const object of ours) await client.delete(typeFor(stage, object), object.metadata).catch(ignoreAbsent);
    const all = [...ours, ...made];
    await until(
      signal,
      async () => {
        const left = (await Promise.all(all.map((object) => find(client, typeFor(stage, object), object.metadata)))).filter(
          (object) => object !== undefined,
        );
        say(`${left.length} of ${all.length} objects left`);
        return left.length === 0;
      },
      'everything is gone',
    );
    return `all ${all.length} objects are deleted`;
  });
}

const exampleText = (file: string): string => readFileSync(join(import.meta.dirname, '../../examples', file), 'utf8');

const datasetsOf = ({ examples }: Pick<Stage, 'examples'>) => examples.filter(({ kind }) => kind === Dataset.kind);
const runtimesOf = ({ examples }: Pick<Stage, 'examples'>) => examples.filter(({ kind }) => kind.endsWith('Runtime'));

export function typeFor({ types }: Pick<Stage, 'types'>, { kind }: KubeObject): ResourceType {
  const type = types.get(kind);
  if (!type) throw new Error(`${kind}: expected a kind of the examples`);
  return type;
}

async function inventory({ client, namespace, types }: Stage, runtime: KubeObject): Promise<readonly KubeObject[]> {
  const type = types.get(runtime.kind);
  const owner = type && (await find(client, type, runtime.metadata));
  if (!owner) return [];
  const selection = { labelSelector: `${label.owner}=${owner.metadata.uid}` };
  const lists = await Promise.all(
    Object.values(ownedKinds).map((kind) => client.list(kind, { ...selection, ...(kind.namespaced && { namespace }) })),
  );
  return lists.flatMap(({ items }) => items);
}
