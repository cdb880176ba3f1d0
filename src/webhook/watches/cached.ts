import type { KubeObject } from '../../kube/types.ts';
import type { KnownClaim, KnownDataset, KnownRuntime, KnownVolume } from '../known.ts';
import type { Packed } from './packed.ts';

/** The part of an object that is kept: thousands of each kind have to fit into memory. */
export interface Cached<T> extends KubeObject {
  readonly known: T;
}

export type CachedClaim = Cached<KnownClaim>;
export type CachedDataset = Cached<KnownDataset>;
/** Undefined: of another driver. */
export type CachedVolume = Cached<(Omit<KnownVolume, 'fuse'> & VolumeTexts) | undefined>;
export type CachedRuntime = Cached<Omit<KnownRuntime, 'cacheAffinity' | 'size'> & RuntimeTexts>;
/** Undefined: no runtime's. */
export type CachedFuse = Cached<FuseTexts | undefined>;

export interface VolumeTexts {
  /** The annotation `data.fluid.io/verified-fuse`. */
  readonly fuse?: string;
  /** JSON of the annotation `data.fluid.io/sidecar`. */
  readonly sidecar?: string;
}

export interface RuntimeTexts {
  /** JSON. */
  readonly cacheAffinity: string;
}

export interface FuseTexts {
  readonly generation: number;
  /** Length of the template as JSON. */
  readonly size: number;
  /** JSON takes a tenth of the memory of the objects that it describes, and packed an eighth of that. */
  readonly template: Packed;
}

/** The metadata that a collection needs, with what is known of the object. */
export const kept = <T>({ apiVersion, kind, metadata }: KubeObject, known: T): Cached<T> => {
  const { name, namespace, uid, resourceVersion } = metadata;
  // Absent fields would be wrong in ObjectMeta, and objects of one shape take the least memory.
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } as KubeObject['metadata'], known };
};
