import { annotation, label } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { MADE_BY_ATTACKER } from './rights.ts';
import { where } from './words.ts';
import { V } from './scene.ts';
import type { World } from './world.ts';

/** The victim's objects in a cluster: comparable between two clusters, of which one has no attacker. */
export interface State {
  readonly objects: ReadonlyMap<string, string>;
  /** Objects of the victim that Sluice deleted, by name and UID. */
  readonly deleted: ReadonlySet<string>;
}

/** Annotations and labels that differ from one run to the next; each of two controllers that lead counts generations of fuse pods on. */
const VOLATILE: ReadonlySet<string> = new Set([
  label.fuseGeneration,
  annotation.nudge,
  annotation.manifestHash,
  annotation.ports,
  annotation.lastValid,
  annotation.verifiedFuse,
]);
/** Fields that count or tell time; and who refers to a Dataset, which the attacker may with the victim's grant. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'resourceVersion',
  'generation',
  'observedGeneration',
  'managedFields',
  'uid',
  'datasetRef',
  'generationObserved',
  'currentRevision',
  'updateRevision',
  'duration',
  'setupDuration',
  'deprecated.daemonset.template.generation',
]);
const isTime = (key: string): boolean => /(Time|Timestamp)$/.test(key);
const UID = /00000000-0000-4000-8000-\d{12}/g;

/** Objects that follow from the attacker's own Dataset, which the victim uses, are as the attacker wants them. */
const isBorrowed = ({ metadata: { name, ownerReferences = [] } }: KubeObject): boolean =>
  /^(ml-|app-)?borrowed/.test(name) || ownerReferences.some((owner) => owner.name.startsWith('borrowed'));

function isVictims(object: KubeObject): boolean {
  const { kind, metadata } = object;
  if (isBorrowed(object) || kind === 'Event') return false;
  if (kind !== 'PersistentVolume') return metadata.namespace === V && !(kind === 'Pod' && metadata.ownerReferences);
  const { claimRef } = object['spec'] as { claimRef?: { namespace?: string } };
  return claimRef?.namespace === V && metadata.annotations?.[MADE_BY_ATTACKER] === undefined;
}

/** Objects of the Dataset that the attacker may use: the nodes of its clients depend on the attacker's pods too. */
const isOfShared = ({ kind, metadata: { name } }: KubeObject): boolean => /^shared(-fuse)?$/.test(name) && kind !== 'Dataset';
function withoutUsers(object: KubeObject): KubeObject {
  if (object.kind === 'DaemonSet') return { ...object, status: undefined } as KubeObject;
  const status = Object.fromEntries(Object.entries((object['status'] ?? {}) as object).filter(([key]) => !/fuse/i.test(key)));
  return { ...object, status } as KubeObject;
}

/** A reading of one cluster; it keeps what it has made of objects, which never change. */
export function createView(world: World): () => State {
  const names = new Map<string, string>();
  const made = new WeakMap<KubeObject, string>();

  function textOf(object: KubeObject): string {
    const known = made.get(object);
    if (known !== undefined) return known;
    const text = object.kind === 'Pod' ? 'exists' : JSON.stringify(comparable(isOfShared(object) ? withoutUsers(object) : object));
    const named = text.replaceAll(UID, (uid) => names.get(uid) ?? '<gone>');
    made.set(object, named);
    return named;
  }

  return () => {
    const all = world.server.all();
    for (const object of all) names.set(object.metadata.uid ?? '', `<${where(object)}>`);
    const objects = new Map(
      all.filter(isVictims).map((object) => [where(object).replaceAll(UID, (uid) => names.get(uid) ?? uid), textOf(object)]),
    );
    for (const node of all.filter(({ kind }) => kind === 'Node')) objects.set(where(node), JSON.stringify(labelsOf(node)));
    const deletions = world.server.requestsThat({ verb: 'delete', manager: 'sluice' }).filter(({ status }) => status === 200);
    const victims = deletions.filter(
      ({ namespace, name = '', kind }) =>
        (namespace === V || (kind === 'PersistentVolume' && /^ml-(?!x-(?!data))/.test(name))) && kind !== 'Pod',
    );
    const deleted = victims
      .filter(({ name = '' }) => !/borrowed/.test(name))
      .map(({ kind, name, options }) => `${kind} ${name} ${String(options['uid'] ?? '')}`);
    return { objects, deleted: new Set(deleted.map((each) => each.replaceAll(UID, (uid) => names.get(uid) ?? '<gone>'))) };
  };
}

/** Labels of the victim's Datasets: of their clients, and of their caches with and without a type or a tier. */
export const isVictimsLabel = (key: string): boolean =>
  /^fluid\.io\/(f|s|s-[a-z]+|s-h-[a-z]+-[a-z])-ml-(x-data|shared|jfs|fresh|borrowed)$/.test(key);

/** Labels of a node that are of the victim's Datasets. Where clients of the shared one run follows from the attacker's pods too. */
function labelsOf(node: KubeObject): object {
  const entries = Object.entries(node.metadata.labels ?? {}).filter(
    ([key, value]) => isVictimsLabel(key) && key !== 'fluid.io/f-ml-shared' && !key.endsWith('-ml-borrowed') && value !== '',
  );
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whoever makes a volume of the victim's data, and has a pod read it, keeps that Dataset: nothing is deleted under a pod. */
export const isKeptByVolume = ({ server }: World): boolean =>
  server.all('PersistentVolume').some((volume) => {
    const { csi } = volume['spec'] as { csi?: { volumeAttributes?: Readonly<Record<string, string>> } };
    const { runtime_namespace: namespace, runtime_name: name = '' } = csi?.volumeAttributes ?? {};
    const isMade = volume.metadata.annotations?.[MADE_BY_ATTACKER] !== undefined;
    return isMade && namespace === V && server.get('Dataset', V, name)?.metadata.deletionTimestamp !== undefined;
  });

/** A condition that was true once, or never. */
const isPast = (value: unknown): boolean => {
  const { type, status, lastTransitionTime } = (value ?? {}) as { type?: unknown; status?: unknown; lastTransitionTime?: unknown };
  return typeof type === 'string' && status === 'False' && lastTransitionTime !== undefined;
};

/** Conditions are in the order in which they came. */
const inOrder = (list: readonly unknown[]): readonly unknown[] => {
  const typeOf = (each: unknown) => (each as { type?: unknown } | null)?.type;
  return list.every((each) => typeof typeOf(each) === 'string')
    ? list.toSorted((a, b) => (String(typeOf(a)) < String(typeOf(b)) ? -1 : 1))
    : list;
};

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return inOrder(value.filter((each) => !isPast(each))).map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !LEFT_OUT.has(key) && !VOLATILE.has(key));
  return Object.fromEntries(
    kept.map(([key, each]) => [key, isTime(key) ? 'then' : comparable(each)] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Where one cluster differs from what it should be, in words. */
export function differences(expected: State, found: State): readonly string[] {
  const wrong: string[] = [];
  for (const [name, text] of expected.objects) {
    const now = found.objects.get(name);
    if (now === undefined) wrong.push(`${name} is gone`);
    else if (now !== text) wrong.push(`${name} is another: ${around(text, now)}`);
  }
  for (const name of found.objects.keys()) if (!expected.objects.has(name)) wrong.push(`${name} exists`);
  for (const name of found.deleted) if (!expected.deleted.has(name)) wrong.push(`Sluice deleted ${name}`);
  return wrong;
}

/** The first place where two texts differ. */
function around(expected: string, found: string): string {
  let at = 0;
  while (expected[at] === found[at]) at++;
  const cut = (text: string) => text.slice(Math.max(0, at - 80), at + 120);
  return `expected …${cut(expected)}…, found …${cut(found)}…`;
}
