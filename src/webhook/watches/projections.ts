import { csiDriver, GROUP, type Identity, label, labelledIdentity, verifiedFuseOn, verifiedFieldsOf } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { KnownDataset } from '../known.ts';
import { type JsonObject, list, record, text } from '../shapes.ts';
import { type CachedClaim, type CachedDataset, type CachedFuse, type CachedRuntime, type CachedVolume, kept } from './cached.ts';
import { createPacker } from './packed.ts';

/** How the key of the label begins that Sluice and Fluid put on the claim of a Dataset. */
const CACHE_LABELS = 'fluid.io/s-';
/**
 * The value is the name of a Dataset: on a claim that the Dataset has as its source. The second key is Fluid's older name of the label.
 * threat-model: R-claim-label
 */
const WRAPPED_BY = [label.managedBy, 'fluid.io/wrapped-by'];

const NO_DATASET = {};

/** Reads the metadata alone. threat-model: R-claim-label */
export function cachedClaim(object: KubeObject): CachedClaim {
  const { name, labels = {} } = object.metadata;
  const isOwn = Object.keys(labels).some((key) => key.startsWith(CACHE_LABELS));
  const dataset = isOwn ? name : WRAPPED_BY.map((key) => labels[key]).find((value) => value);
  if (dataset === undefined) return kept(object, NO_DATASET);
  return kept(object, object.metadata.deletionTimestamp === undefined ? { dataset } : { dataset, isBeingDeleted: true });
}

export function cachedDataset(object: KubeObject): CachedDataset {
  const status = record(object['status']);
  const condition = list(status['conditions'])
    .map(record)
    .find(({ type, status: is }) => type === 'NotReady' && is === 'True');
  const notReady = text(condition?.['message']);
  const runtime = runtimeOf(object, record(list(status['runtimes'])[0]));
  return kept(object, {
    identity: identityOf(object),
    phase: text(status['phase']) ?? '',
    ...(notReady !== undefined && { notReady }),
    ...(object.metadata.deletionTimestamp !== undefined && { isBeingDeleted: true as const }),
    ...(runtime && { runtime }),
  });
}

function identityOf({ metadata: { namespace = '', name, uid = '', labels } }: KubeObject): Identity {
  return labelledIdentity({ namespace, name, uid }, labels);
}

/** Always in the namespace of the Dataset: who may write a status must not have it name a runtime of another. */
function runtimeOf({ metadata: { namespace = '' } }: KubeObject, { type, name }: JsonObject): KnownDataset['runtime'] {
  return typeof type === 'string' && typeof name === 'string' ? { type, namespace, name } : undefined;
}

/** Volumes are cluster-scoped: users of a namespace write none. threat-model: R-volume */
export function cachedVolume(object: KubeObject): CachedVolume {
  const { csi, claimRef } = record(object['spec']);
  const { driver, volumeAttributes } = record(csi);
  const attributes = record(volumeAttributes);
  const { fuse, note: sidecar } = verifiedFuseOn(object);
  const path = text(attributes['fluid_path']);
  const { namespace, name } = record(claimRef);
  const runtime = { namespace: text(attributes['runtime_namespace']) ?? '', name: text(attributes['runtime_name']) ?? '' };
  if (driver !== csiDriver || path === undefined || typeof namespace !== 'string' || typeof name !== 'string')
    return kept(object, undefined);
  return kept(object, {
    path,
    mountType: text(attributes['mount_type']) ?? '',
    subPath: text(attributes['fluid_sub_path']) ?? '',
    // Nearly all are served by a runtime of their own name.
    ...(runtime.name && (runtime.name !== name || runtime.namespace !== namespace) && { runtime }),
    claim: { namespace, name },
    ...(fuse !== undefined && { fuse, ...(sidecar !== undefined && { sidecar }) }),
  });
}

/**
 * A projection for many DaemonSets, whose templates have much in common. DaemonSets that no runtime owns are left out only to save memory:
 * an owner proves nothing. threat-model: keeps
 */
export function fuseProjection(): (object: KubeObject) => CachedFuse {
  const pack = createPacker();
  return (object) => {
    const { ownerReferences = [], generation = 0 } = object.metadata;
    if (!ownerReferences.some(({ apiVersion }) => apiVersion.startsWith(`${GROUP}/`))) return kept(object, undefined);
    const spec = record(record(record(object['spec'])['template'])['spec']);
    const template = JSON.stringify({ spec: verifiedFieldsOf(spec) });
    return kept(object, { generation, size: template.length, template: pack(template) });
  };
}

/** Values of `spec.fuse.metrics.scrapeTarget`, separated by commas. */
const SIDECARS: ReadonlySet<string> = new Set(['All', 'Sidecar']);

export function cachedRuntime(object: KubeObject): CachedRuntime {
  const { cacheAffinity } = record(object['status']);
  const required = record(record(cacheAffinity)['requiredDuringSchedulingIgnoredDuringExecution']);
  const target = record(record(record(object['spec'])['fuse'])['metrics'])['scrapeTarget'];
  return kept(object, {
    cacheAffinity: JSON.stringify(list(required['nodeSelectorTerms'])),
    scrapesSidecars: (text(target) ?? '').split(',').some((each) => SIDECARS.has(each.trim())),
  });
}
