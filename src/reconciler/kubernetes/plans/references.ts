import {
  annotation,
  type Dataset,
  ownerUid,
  type PersistentVolumeSpec,
  referenceIn,
  type RuntimeStatus,
  shown,
  volumeName,
} from '../../../api/index.ts';
import type { ReferenceFact, ReferenceNeed } from '../../../constructs/index.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import { choose } from '../../../planning/choose.ts';
import type { RuntimeCandidate } from '../../../planning/choose.ts';
import { identityOf } from '../../../planning/identity.ts';
import { type Hold, type Key, keyText, type LiveObject } from '../../world.ts';
import { UNAVAILABLE } from '../../../planning/attention.ts';
import { ownedKinds } from '../../../planning/kinds.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { evidence } from '../observe/survivors.ts';
import { isServed, liveEngine } from '../../../planning/views.ts';
import { servedBy, targetOf } from '../../../planning/volumes.ts';
import { consentTo } from './consent.ts';

type Context = Pick<ClusterContext, 'client' | 'store' | 'openReferences'>;

const serves =
  ({ status }: Dataset) =>
  ({ definition }: RuntimeCandidate): boolean =>
    status?.runtimes?.some(({ type }) => type === definition.type) === true;

/** By what the store keeps of a volume, which is another JavaScript object after each change. */
const specs = new WeakMap<LiveObject, PersistentVolumeSpec>();

/**
 * The facts that a runtime may have of another Dataset, or the hold while it waits for one. A Hold names the Dataset only, which may belong
 * to another tenant. While references keep a Dataset from being deleted, it serves those that are bound or have a volume that leads there,
 * and no new ones.
 */
export async function referenceFact(
  context: Context,
  user: Key & { readonly volume: string; readonly bound: boolean },
  { namespace, name }: ReferenceNeed,
): Promise<ReferenceFact | Hold> {
  const { client, store } = context;
  const called = `Dataset ${keyText({ namespace, name })}`;
  if (namespace === user.namespace && name === user.name)
    return { reason: 'ReferenceNotAllowed', message: `expected a reference to another Dataset, found ${called} itself` };
  if (!store.serves(namespace))
    return {
      reason: 'DatasetNotBound',
      message: `namespace ${namespace} is not among those that this controller serves, so that ${called} is not known`,
    };
  store.refers(user, { namespace, name });
  const dataset = store.dataset({ namespace, name });
  const consent = namespace === user.namespace ? undefined : await consentTo(context, user, { namespace, name }, dataset);
  // Before anything else is said: that a Dataset of another namespace exists must not be visible either.
  if (consent === 'none')
    return {
      reason: 'ReferenceNotAllowed',
      message:
        `${called} does not exist, or its owner does not allow namespace ${user.namespace} to use it: ` +
        `expected its annotation ${annotation.sharedWith} to list ${user.namespace}`,
    };
  // An error, unlike a runtime without its own Dataset: the author of the reference may have meant another.
  if (!dataset) return { reason: 'DatasetNotFound', message: `${called} does not exist`, isError: true };
  const refersOn = (how: string): Hold => ({
    reason: 'ReferenceNotAllowed',
    message: `expected a Dataset that refers to no other one, found ${called}, ${how}`,
  });
  const further = store.faultOf(dataset) ? undefined : referenceIn(dataset.spec);
  if (further !== undefined) return refersOn(`which refers to ${shown(further)}`);
  const notBound: Hold = { reason: 'DatasetNotBound', message: `${called} is not bound` };
  const candidates = store.runtimes({ namespace, name });
  // A volume that leads there keeps it from being deleted: its set-up ends, though the reference is not bound yet.
  const isKept = user.bound || store.referrersOf({ namespace, name }).some((each) => keyText(each) === keyText(user));
  // One that is being deleted serves until no pod reads, also through references.
  const chosen = choose(dataset, candidates).chosen ?? (isKept ? candidates.find(serves(dataset)) : undefined);
  const status = chosen?.object.status;
  if (dataset.metadata.deletionTimestamp && !isKept) return { ...notBound, message: `${called} is being deleted` };
  if (!status || !isServed(dataset)) return notBound;
  const identity = identityOf({ namespace, name }, evidence(store, { namespace, name }, { dataset, runtime: chosen.object }));
  const live = store.live('PersistentVolume', undefined, volumeName(identity));
  // Names of volumes may be equal: a volume that is not of this runtime may belong to another namespace.
  const isItsOwn = ownerUid(live) === chosen.object.metadata.uid;
  const volume = live && isItsOwn ? (specs.get(live) ?? (await read(live))) : undefined;
  if (!live || !volume) return notBound;
  // The Dataset that serves the volume now, not the one in the newest spec: it would be handed on.
  const server = servedBy(volume.csi?.volumeAttributes ?? {}) ?? { namespace, name };
  if (targetOf(live) || keyText(server) !== keyText({ namespace, name })) return refersOn('whose volume leads to another one');
  return {
    ...(consent && { consent }),
    dataset: { identity, ...datasetFact(dataset) },
    runtime: runtimeFact(chosen, status),
    volume: withoutClaim(volume),
  };

  async function read(kept: LiveObject): Promise<PersistentVolumeSpec | undefined> {
    const found = await client.get(ownedKinds.PersistentVolume, { name: kept.metadata.name }).catch(ignoreNotFound);
    const spec = found?.['spec'] as PersistentVolumeSpec | undefined;
    if (spec && found?.metadata.resourceVersion === kept.metadata.resourceVersion) specs.set(kept, spec);
    return spec;
  }
}

/** The mounts are those in effect: the spec may be invalid, or not parse. */
function datasetFact({ status }: Dataset): Omit<ReferenceFact['dataset'], 'identity'> {
  const { mounts = [], ufsTotal, fileNum, cacheStates, hcfs, conditions = [] } = status ?? {};
  const unavailable = conditions.find(({ type }) => type === UNAVAILABLE);
  return {
    mounts: mounts.map(({ mountPoint, name, path }) => ({
      mountPoint,
      ...(name !== undefined && { name }),
      ...(path !== undefined && { path }),
    })),
    ...(unavailable?.message !== undefined && {
      unavailable: { reason: unavailable.reason === 'ReadsFail' ? 'ReadsFail' : 'RequestsFail', message: unavailable.message },
    }),
    status: {
      ...(ufsTotal !== undefined && { ufsTotal }),
      ...(fileNum !== undefined && { fileNum }),
      ...(cacheStates && { cacheStates }),
      ...(hcfs && { hcfs }),
    },
  };
}

function runtimeFact({ definition, object }: RuntimeCandidate, all: RuntimeStatus): ReferenceFact['runtime'] {
  const { type, resource, engines } = definition;
  const { conditions: _c, masterReason: _m, workerReason: _w, fuseReason: _f, ...status } = all;
  return { kind: resource.kind, type, engine: liveEngine(definition, object) ?? engines[0] ?? type, status };
}

function withoutClaim(volume: PersistentVolumeSpec): ReferenceFact['volume'] {
  const { claimRef: _, ...spec } = volume;
  return spec;
}
