import { annotation, type Manifest } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { ImmutableChange } from './retain.ts';
import { fuseFact } from '../views.ts';

/**
 * The manifest with the hash of what was rendered: where the hash differs, something is to be changed or removed, which a comparison of
 * fields might not show. It is not the hash of what is sent, which has fields taken from the live object. A DaemonSet also gets the fuse
 * image that was rendered, for which its generation stands.
 */
export function stamped(manifest: Manifest, hash: string): KubeObject {
  const { metadata } = manifest;
  const image = manifest.kind === 'DaemonSet' ? fuseFact(manifest)?.image : undefined;
  const stamps = { [annotation.manifestHash]: hash, ...(image && { [annotation.fuseImage]: image }) };
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...stamps } },
  } as KubeObject;
}

/** A change that Kubernetes does not allow keeps the stamp from saying that everything was sent. */
export const stamp = (hash: string, immutable: readonly ImmutableChange[]): string => (immutable.length > 0 ? `${hash}~` : hash);

/** threat-model: R-manifest-hash */
export const stampOf = ({ metadata: { annotations } }: KubeObject): string | undefined => annotations?.[annotation.manifestHash];
