import { annotation, type Manifest } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { ImmutableChange } from './retain.ts';
import { fuseFact } from '../views.ts';

/**
 * The manifest with the hash of what was rendered: another hash means a change or a removal, which a comparison of fields might not show.
 * The hash of the sent object would differ, since that has fields of the live one. A DaemonSet also gets the rendered fuse image, for which
 * its generation stands.
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
