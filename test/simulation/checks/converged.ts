import { runtimes } from '../../../runtimes/_all.gen.ts';
import { label, type Manifest, operationKinds } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { ownedKinds } from '../../../src/planning/kinds.ts';
import { datasetsOf } from '../../../src/reconciler/operations/references.ts';
import type { ApiServer } from '../../../src/api-server/index.ts';
import { DENIED, mirrored } from '../admission.ts';
import { nameOf, type Plan } from '../plan.ts';
import { differences, renderingOf } from './rendered.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Faults that are left once nothing goes wrong any more; one sentence each. */
export async function divergence(server: ApiServer, plan: Plan, isUsers: (uid: string) => boolean): Promise<readonly string[]> {
  const found: string[] = [];
  const ours = runtimes.flatMap(({ resource }) => server.all(resource.kind));
  const keys = new Set([...server.all('Dataset'), ...ours].map(keyOf));
  for (const key of keys) {
    const dataset = server.all('Dataset').find((each) => keyOf(each) === key);
    const candidates = ours.filter((each) => keyOf(each) === key);
    found.push(...(await ofKey(server, plan, key, dataset, candidates)));
  }
  const left = leftovers(server, new Set(ours.map(({ metadata }) => metadata.uid ?? '')));
  return [
    ...found,
    ...left.filter(({ metadata }) => !isUsers(metadata.uid ?? '')).map((object) => `${nameOf(object)} is left of a runtime that is gone`),
  ];
}

const keyOf = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace}/${name}`;

async function ofKey(
  server: ApiServer,
  plan: Plan,
  key: string,
  dataset: KubeObject | undefined,
  candidates: readonly KubeObject[],
): Promise<readonly string[]> {
  const going = [...(dataset ? [dataset] : []), ...candidates].filter(({ metadata }) => metadata.deletionTimestamp);
  // A runtime that waits may say so for its Dataset too.
  if (going.length > 0)
    return going
      .filter(() => going.every((each) => whyNot(each) === undefined))
      .map((object) => `${nameOf(object)} is being deleted, and nothing says why it still exists`);
  const [runtime, ...others] = candidates;
  if (!dataset || !runtime) {
    const lone = dataset ?? runtime;
    return lone && whyNot(lone) === undefined ? [`${nameOf(lone)} is alone, and no condition says so`] : [];
  }
  if (others.length > 0) return [];
  const why = whyNot(runtime);
  const rendering = await renderingOf(server, plan, [dataset, runtime]);
  if ('faults' in rendering)
    return why === undefined ? [`${nameOf(runtime)} cannot be planned (${rendering.faults.join('; ')}), and no condition says so`] : [];
  const wrong: string[] = [];
  for (const rendered of rendering.manifests) {
    const manifest = plan.mutates ? mirrored(rendered) : rendered;
    const { kind, metadata } = manifest;
    const live = server.get(kind, metadata.namespace, metadata.name);
    if (!live) wrong.push(`${kind}/${metadata.name} does not exist`);
    else if (live.metadata.deletionTimestamp) wrong.push(`${kind}/${metadata.name} is being deleted`);
    else {
      const isKnown = (each: string) => kind === 'Secret' && each.startsWith(RIVALS);
      wrong.push(...differences(manifest, live).flatMap((each) => (isKnown(each) ? [] : `${kind}/${metadata.name} ${each}`)));
    }
  }
  const wanted = new Set(rendering.manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  for (const object of inventory(server, runtime))
    if (!wanted.has(`${object.kind}/${object.metadata.name}`)) wrong.push(`${object.kind}/${object.metadata.name} is not wanted any more`);
  const isImmutable = conditionsOf(runtime).some(({ type }) => type === 'ImmutableFieldChanged');
  if (wrong.length > 0 && why === undefined && !isImmutable)
    return [`${key}: no condition of ${nameOf(runtime)} says that ${wrong.slice(0, 5).join('; ')}`];
  if (wrong.length === 0 && why !== undefined && !LASTING.has(why.reason ?? '') && !isReallyUnready(server, rendering.manifests, why))
    return [`${key}: every object is as it should be, but ${nameOf(runtime)} says ${why.reason}: ${why.message}`];
  const isWithoutPods = plan.denied === 'Pod' && why !== undefined && isReallyUnready(server, rendering.manifests, why);
  if (isWithoutPods && !why.message?.includes(DENIED))
    return [`${key}: a quota allows no pods, and ${nameOf(runtime)} says ${why.reason}: ${why.message}`];
  if (why !== undefined && plan.denied !== undefined && why.message?.includes(DENIED)) {
    // A denied object keeps no other from being written; claim and volume are promises, and wait.
    const fuse = rendering.manifests.find(({ kind }) => kind === 'DaemonSet');
    const isThere = !fuse || server.get('DaemonSet', fuse.metadata.namespace, fuse.metadata.name) !== undefined;
    return isThere
      ? []
      : [`${key}: objects of kind ${plan.denied} are denied, and DaemonSet ${fuse?.metadata.name} does not exist either (A7)`];
  }
  // Pods of users keep a claim for as long as they like.
  if (why?.message?.includes('once no pod mounts')) return [];
  if (why !== undefined && TRANSIENT.has(why.reason ?? '') && !isReallyUnready(server, rendering.manifests, why))
    return [`${key}: no fault is left, but ${nameOf(runtime)} says ${why.reason}: ${why.message}`];
  return [...phaseFaults(server, dataset, why), ...nameFaults(server, dataset)];
}

/**
 * Secrets are not watched. What a rival has written last stays until a pass reads the Secret: by the clock only after five minutes, or never, and
 * worlds do not last as long.
 */
const RIVALS = `metadata.labels.${label.datasetId}: "rival"`;
export const isRivals = ({ kind, metadata: { labels } }: KubeObject): boolean => kind === 'Secret' && labels?.[label.datasetId] === 'rival';

/** Reasons that end when faults do. */
const TRANSIENT = new Set([
  'LookupFailed',
  'InternalError',
  'ApplyFailed',
  'UpdateFailed',
  'DeleteFailed',
  'Conflict',
  'MasterNotReady',
  'WorkersNotReady',
  'NoLeader',
  'MountsUnknown',
  'MountsChanging',
  'VolumePending',
  'VolumeReleased',
  'RuntimeDeleting',
  'CleaningCache',
  'NodesLabelled',
]);
/** Reasons that may be reported although every object is as it should be. */
const LASTING = new Set(['PlacementWaiting', 'MountsDiffer', 'DatasetTaken', 'FieldConflict']);

/** Pods may never become ready: no node admits them. */
function isReallyUnready(server: ApiServer, manifests: readonly Manifest[], { reason }: Condition): boolean {
  if (reason !== 'MasterNotReady' && reason !== 'WorkersNotReady') return false;
  return manifests.some(({ kind, metadata: { namespace, name } }) => {
    if (kind !== 'StatefulSet') return false;
    const { spec, status } = (server.get(kind, namespace, name) ?? {}) as {
      spec?: { replicas?: number };
      status?: { readyReplicas?: number };
    };
    return (spec?.replicas ?? 1) > (status?.readyReplicas ?? 0);
  });
}

/** While a migration runs, which needs a node for its pod, the phase says so. */
function phaseFaults(server: ApiServer, dataset: KubeObject, why: Condition | undefined): readonly string[] {
  const { phase, operationRef = {} } = (dataset['status'] ?? {}) as { phase?: string; operationRef?: { DataMigrate?: string } };
  // Names joined by commas: runs of a schedule wait for no turn, so more than one may run.
  const running = (operationRef.DataMigrate ?? '').split(',').map((name) => server.get('DataMigrate', dataset.metadata.namespace, name));
  const isMigrating = running.some((each) => (each?.['status'] as { phase?: string } | undefined)?.phase === 'Executing');
  return why === undefined && phase !== (isMigrating ? 'DataMigrating' : 'Bound')
    ? [`${nameOf(dataset)} has phase ${phase} although its runtime is synced`]
    : [];
}

/** A Dataset names the operations that run on it, and no others. */
function nameFaults(server: ApiServer, dataset: KubeObject): readonly string[] {
  const { operationRef = {} } = (dataset['status'] ?? {}) as { operationRef?: Readonly<Record<string, string>> };
  const { namespace, name } = dataset.metadata;
  return operationKinds.flatMap(({ kind }) => {
    const running = server.all(kind).filter((each) => phaseOf(each) === 'Executing' && each.metadata.namespace === namespace);
    const names = running.filter((each) => datasetsOf(each).some((of) => of.name === name)).map(({ metadata }) => metadata.name);
    const expected = names.toSorted().join(',');
    const found = operationRef[kind] ?? '';
    return found === expected ? [] : [`${nameOf(dataset)} names ${kind} ${found || 'none'} where ${expected || 'none'} runs`];
  });
}
const phaseOf = ({ status }: KubeObject): unknown => (status as { readonly phase?: string } | undefined)?.phase;

const inventory = (server: ApiServer, { metadata: { uid, namespace } }: KubeObject): readonly KubeObject[] =>
  Object.keys(ownedKinds).flatMap((kind) =>
    server
      .all(kind)
      .filter(({ metadata }) => metadata.labels?.[label.owner] === uid && [undefined, namespace].includes(metadata.namespace)),
  );

/** Objects of runtimes that are gone. */
function leftovers(server: ApiServer, living: ReadonlySet<string>): readonly KubeObject[] {
  const operations = new Set(
    ['DataLoad', 'DataMigrate', 'DataProcess', 'DataBackup'].flatMap((kind) => server.all(kind)).map(({ metadata }) => metadata.uid),
  );
  return [...Object.keys(ownedKinds), 'Secret']
    .flatMap((kind) => server.all(kind))
    .filter(({ metadata: { labels, ownerReferences = [], deletionTimestamp } }) => {
      const owner = labels?.[label.owner];
      const isKept = ownerReferences.some(({ uid }) => living.has(uid) || operations.has(uid));
      // Objects that pods of users mount go with them. A user has removed the label of its owner: the object is that user's from then on,
      // and no runtime's.
      if (owner === 'nobody') return false;
      return owner !== undefined && !isKept && !deletionTimestamp && !living.has(owner) && !operations.has(owner);
    });
}

export const conditionsOf = ({ status }: KubeObject): readonly Condition[] =>
  ((status ?? {}) as { conditions?: readonly Condition[] }).conditions ?? [];

/** The condition that says why an object is not as it should be. */
function whyNot(object: KubeObject): Condition | undefined {
  return conditionsOf(object).find(
    ({ type, status }) =>
      (type === 'Synced' && status === 'False') ||
      (type === 'NotReady' && status === 'True') ||
      (type === 'DatasetTaken' && status === 'True'),
  );
}
