import type { CustomResource } from '../../../api/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { nodeProjection } from './node-projection.ts';
import { createOwnedProjection } from './owned-projection.ts';
import { podProjection } from '../../../planning/pod-projection.ts';
import { readResource } from './resources.ts';
import { createSharing } from '../../../planning/sharing.ts';

/**
 * The kept part of an object. `before` is what was kept of an earlier version of it; what has not changed since stays the same JavaScript
 * object, so that a comparison by identity says that nothing changed.
 */
export type Projection = (object: KubeObject, before?: KubeObject) => KubeObject;

/** @param resources the custom resources, which are parsed */
export function createProjection(resources: readonly CustomResource[]): Projection {
  const sharing = createSharing();
  const owned = createOwnedProjection(sharing);
  const byKind = new Map(resources.map((resource) => [resource.kind, resource]));
  return (object, before) => {
    const { kind } = object;
    const resource = byKind.get(kind);
    if (resource) return readResource(resource, object, sharing, before);
    if (kind === 'Pod') return podProjection(object, sharing);
    return kind === 'Node' ? nodeProjection(object, before) : owned(object);
  };
}
