import type { KubeClient } from '../../kube/contract.ts';
import { ignoreNotFound } from '../../kube/errors.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { type Unknown, unknownKey } from '../known.ts';
import type { ObjectSources } from './known-objects.ts';
import { fuseProjection, cachedClaim, cachedDataset, cachedVolume } from './projections.ts';
import { CLAIM, DAEMON_SET, DATASET, VOLUME } from './types.ts';

/** Names come from users' pods, which no validation has seen yet: objects of another name cannot exist. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

export interface ReadContext {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
}

/** Asks the API server for exactly these objects. What it does not have is not there; any other error is thrown. */
export async function readObjects(reading: ReadContext, unknown: readonly Unknown[], otherwise: ObjectSources): Promise<ObjectSources> {
  const answers = new Map<string, KubeObject | undefined>();
  const asked = new Map(unknown.map((each) => [unknownKey(each), each] as const));
  await Promise.all([...asked].map(async ([key, each]) => answers.set(key, await readOne(reading, each))));
  const answered = <T extends KubeObject>(each: Unknown, known: () => T | undefined): T | undefined => {
    const key = unknownKey(each);
    // The cast: it was read as an object of this kind.
    return answers.has(key) ? (answers.get(key) as T | undefined) : known();
  };
  return {
    claim: (namespace, name) => answered({ kind: 'claim', namespace, name }, () => otherwise.claim(namespace, name)),
    dataset: (namespace, name) => answered({ kind: 'dataset', namespace, name }, () => otherwise.dataset(namespace, name)),
    fuse: (namespace, name) => answered({ kind: 'fuse', namespace, name }, () => otherwise.fuse(namespace, name)),
    volume: (name) => answered({ kind: 'volume', name }, () => otherwise.volume(name)),
    // Never a reason to deny a pod.
    runtime: otherwise.runtime,
  };
}

function readOne(reading: ReadContext, each: Unknown): Promise<KubeObject | undefined> {
  if (!NAME.test(each.name)) return Promise.resolve(undefined);
  switch (each.kind) {
    case 'claim':
      return get(reading, CLAIM, each, cachedClaim);
    case 'dataset':
      return get(reading, DATASET, each, cachedDataset);
    case 'volume':
      return get(reading, VOLUME, { name: each.name }, cachedVolume);
    case 'fuse':
      return get(reading, DAEMON_SET, each, fuseProjection());
  }
}

async function get<T>(
  { client, signal }: ReadContext,
  type: ResourceType,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
  project: (object: KubeObject) => T,
): Promise<T | undefined> {
  const found = await client.get(type, { namespace, name }, { signal, metadataOnly: type === CLAIM }).catch(ignoreNotFound);
  return found && project(found);
}
