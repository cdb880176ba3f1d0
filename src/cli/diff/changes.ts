import { annotation, isOwnedBy, isWatchedPod, label, type Manifest, ownersOf, shown } from '../../api/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { ApiError, isNotFound, lacksRight } from '../../kube/errors.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import type { Change } from '../../planning/diff/change.ts';
import { differences } from '../../planning/diff/compare.ts';
import { stamp, stamped } from '../../planning/diff/stamp.ts';
import { hashOf } from '../../planning/bindings.ts';
import { ownedKinds, ownedType, Pod } from '../../planning/kinds.ts';
import { selectorOf } from '../../kube/selector.ts';
import { isCopy, isOurs, type Owned, ownersInWords } from '../../planning/owner.ts';
import { workloadView } from '../../planning/views.ts';
import { retain } from '../../planning/diff/retain.ts';
import type { LiveObject } from '../../planning/objects.ts';
import { unknownUid } from '../synth/fact-sources.ts';
import { admissible, wouldBecome } from './dry-run.ts';
import { keysOf } from '../input/documents.ts';
import { refOf } from '../input/read.ts';
import type { RenderedRuntime } from '../synth/render.ts';

export async function changesOf(
  client: KubeClient,
  { key, object, manifests }: RenderedRuntime,
  isOwner: (uid: string) => boolean,
): Promise<readonly Change[]> {
  const { uid = '' } = object.metadata;
  const isNew = uid === unknownUid(object);
  const owner = { uid, ...key };
  const changes: Change[] = [];
  for (const manifest of manifests) changes.push(await changeOf(client, manifest, owner, isOwner));
  return isNew ? changes : [...changes, ...(await pruned(client, owner, manifests))];
}

/** The change that would be made to one rendered object. */
export async function changeOf(
  client: KubeClient,
  manifest: Manifest,
  owner: Owned,
  isOwner: (uid: string) => boolean = () => false,
): Promise<Change> {
  const type = ownedType(manifest.kind);
  try {
    const live = await current(client, type, owner.namespace, manifest.metadata.name);
    if (!live) return await addition(client, type, manifest);
    if (!isOurs(live, owner, { isOwner }) && !isCopy(live, { isOwner }))
      return { ...nothing(manifest), action: 'refuse', problem: `it exists and belongs to ${ownersInWords(live)}` };
    return await change(client, type, manifest, live);
  } catch (error) {
    if (!lacksRight(error)) throw error;
    return { ...nothing(manifest), action: 'unknown', note: `is not compared: ${textOf(error)}` };
  }
}

export const textOf = (error: ApiError): string => error.body?.message ?? error.message;

const NOTHING = { action: 'none', immutable: [], stale: [], restarting: [] } as const;
export const nothing = (object: Parameters<typeof refOf>[0]) => ({ object: refOf(object), ...NOTHING });

export async function current(client: KubeClient, type: ResourceType, namespace: string, name: string): Promise<LiveObject | undefined> {
  try {
    return (await client.get(type, { ...(type.namespaced && { namespace }), name })) as LiveObject;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function addition(client: KubeClient, type: ResourceType, manifest: Manifest): Promise<Change> {
  try {
    await client.create(type, admissible(manifest), { dryRun: true, fieldValidation: 'Strict' });
    return { ...nothing(manifest), action: 'add', after: manifest as KubeObject };
  } catch (error) {
    if (!(error instanceof ApiError) || lacksRight(error)) throw error;
    return { ...nothing(manifest), action: 'refuse', after: manifest as KubeObject, problem: textOf(error) };
  }
}

async function change(client: KubeClient, type: ResourceType, manifest: Manifest, live: LiveObject): Promise<Change> {
  const { manifest: retained, immutable } = retain(manifest, live);
  const desired = stamped(retained, stamp(hashOf(manifest), immutable));
  const pods = await podsOf(client, live);
  const unfound = (pods ?? []).filter((pod) => !isWatchedPod(pod));
  const known = {
    ...nothing(manifest),
    immutable: immutable.map(({ path }) => stays(path, live, manifest)),
    stale: pods && workloadView(live, pods).outdated,
    ...(unfound.length > 0 && { labelled: unfound.map(({ metadata: { name } }) => name).toSorted() }),
  };
  if (differences(desired, live).length === 0) return { ...known, stale: known.stale ?? [] };
  try {
    const after = await wouldBecome(client, type, desired, live);
    const names = (pods ?? []).filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
    const touched = templateOf(live) !== templateOf(after) ? names.toSorted() : [];
    const waits = (after['spec'] as { updateStrategy?: { type?: string } } | undefined)?.updateStrategy?.type === 'OnDelete';
    return {
      ...known,
      action: 'change',
      before: live,
      after,
      stale: waits && touched.length > 0 ? touched : (known.stale ?? []),
      restarting: waits ? [] : touched,
    };
  } catch (error) {
    if (!(error instanceof ApiError) || lacksRight(error)) throw error;
    return { ...known, stale: known.stale ?? [], action: 'refuse', problem: textOf(error) };
  }
}

function stays(path: string, live: KubeObject, wanted: Manifest): string {
  const at = (object: unknown) =>
    keysOf(path).reduce<unknown>((value, key) => (value as Readonly<Record<string | number, unknown>> | undefined)?.[key], object);
  return `${path} cannot change: it stays ${shown(at(live))}, not ${shown(at(wanted))}`;
}

const templateOf = (object: KubeObject): string => JSON.stringify((object['spec'] as { template?: unknown } | undefined)?.template ?? null);

/** The pods that a workload controls; undefined for any other kind. */
async function podsOf(client: KubeClient, workload: LiveObject): Promise<readonly KubeObject[] | undefined> {
  const { kind, metadata } = workload;
  if (kind !== 'StatefulSet' && kind !== 'DaemonSet') return undefined;
  const options = { namespace: metadata.namespace, labelSelector: selectorOf(workload), metadataOnly: true };
  const { items } = await client.list(Pod, options);
  return items.filter((pod) => isOwnedBy(pod, metadata.uid));
}

/** Objects with our inventory label that are no longer rendered. */
async function pruned(
  client: KubeClient,
  { uid, namespace }: { readonly uid: string; readonly namespace: string },
  manifests: readonly Manifest[],
): Promise<readonly Change[]> {
  const kept = new Set(manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  const unlisted: Change[] = [];
  const lists = await Promise.all(
    Object.values(ownedKinds).map(async (type) => {
      const options = { ...(type.namespaced && { namespace }), labelSelector: `${label.owner}=${uid}`, metadataOnly: true };
      try {
        return (await client.list(type, options)).items;
      } catch (error) {
        if (!lacksRight(error)) throw error;
        unlisted.push({
          ...NOTHING,
          action: 'unknown',
          object: `${type.kind} objects`,
          note: `that would be deleted are not known: ${textOf(error)}`,
        });
        return [];
      }
    }),
  );
  const extra = lists.flat().filter(({ kind, metadata }) => !kept.has(`${kind}/${metadata.name}`) && !metadata.deletionTimestamp);
  return [...extra.map((object): Change => ({ ...nothing(object), action: 'prune' })), ...unlisted];
}

/** The fields that a reader compares: none that only the API server or the controller uses. threat-model: keeps */
export function readable(object: KubeObject): KubeObject {
  const { metadata, status: _, ...rest } = object;
  const { name, namespace, labels, annotations } = metadata;
  const owners = ownersOf(object);
  const {
    [annotation.manifestHash]: _hash,
    [annotation.fuseImage]: _image,
    'deprecated.daemonset.template.generation': _generation,
    ...noted
  } = annotations ?? {};
  const kept = {
    name,
    ...(namespace && { namespace }),
    labels,
    ...(Object.keys(noted).length > 0 && { annotations: noted }),
    ...(owners.length > 0 && { ownerReferences: owners }),
  };
  return { ...rest, metadata: kept } as KubeObject;
}
