import { type NodeSelectorTerm, type PodTemplateSpec, type SidecarNote, verifiedFuseIn } from '../../api/index.ts';
import type { KnownObjects, KnownClaim, KnownFuse, KnownRuntime, KnownVolume } from '../known.ts';
import { parseNote } from '../sidecar-note.ts';
import type { FuseTexts, CachedClaim, CachedDataset, CachedFuse, CachedRuntime, CachedVolume } from './cached.ts';
import { unpacked } from './packed.ts';
import { messageOf } from '../../kube/errors.ts';

/** Where what is kept is found. */
export interface ObjectSources {
  claim(namespace: string, name: string): CachedClaim | undefined;
  dataset(namespace: string, name: string): CachedDataset | undefined;
  runtime(type: string, namespace: string, name: string): CachedRuntime | undefined;
  fuse(namespace: string, name: string): CachedFuse | undefined;
  volume(name: string): CachedVolume | undefined;
  /** Whether claims may be others than these. Absent: they were just read. */
  areClaimsStale?(): boolean;
}

/** The value of `fluid.io/managed-by` on what Sluice and Fluid create; on a claim it could also be a Dataset's name. */
const FLUID = 'fluid';

const NO_DATASET: KnownClaim = {};
const STALE: KnownClaim = { isStale: true };

export function knownObjects(sources: ObjectSources): KnownObjects {
  return {
    claim(namespace, name) {
      const found = sources.claim(namespace, name)?.known;
      const isOther = found?.dataset === FLUID && name !== FLUID && sources.dataset(namespace, FLUID) === undefined;
      const known = isOther ? NO_DATASET : found;
      return known && known.dataset === undefined && sources.areClaimsStale?.() ? STALE : known;
    },
    dataset: (namespace, name) => sources.dataset(namespace, name)?.known,
    runtime(type, namespace, name) {
      const found = sources.runtime(type, namespace, name)?.known;
      return found && runtimeOf(found);
    },
    fuse(namespace, name) {
      const found = sources.fuse(namespace, name);
      return found?.known && fuseOf(found.metadata.uid, found.known);
    },
    volume(name) {
      const texts = sources.volume(name)?.known;
      return texts && volumeOf(texts);
    },
  };
}

function runtimeOf({ cacheAffinity, ...known }: CachedRuntime['known']): KnownRuntime {
  return {
    ...known,
    size: cacheAffinity.length,
    get cacheAffinity() {
      // The cast: the CRD's schema has checked them.
      return JSON.parse(cacheAffinity) as readonly NodeSelectorTerm[];
    },
  };
}

function fuseOf(uid: string | undefined, { template, generation, size }: FuseTexts): KnownFuse {
  let parsed: PodTemplateSpec | undefined;
  return {
    uid: uid ?? '',
    generation,
    size,
    get template() {
      // The cast: the API server has checked it.
      return (parsed ??= JSON.parse(unpacked(template)) as PodTemplateSpec);
    },
  };
}

function volumeOf({ fuse, sidecar = '{}', ...volume }: NonNullable<CachedVolume['known']>): KnownVolume {
  const record = verifiedFuseIn(fuse);
  return { ...volume, ...(record && { fuse: { ...record, sidecar: noteOf(sidecar) } }) };
}

/** Without knowing what the runtime says of its client, no pod gets one. */
function noteOf(json: string): SidecarNote {
  try {
    return parseNote(json);
  } catch (error) {
    return { caches: [], refused: `its volume has a fault: ${messageOf(error)}` };
  }
}
