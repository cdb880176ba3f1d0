import type { Viewer } from '../../wire.ts';

/** The rights of a viewer to see. Kinds go by plural. */
export interface Sight {
  /** As the page names the viewer, as far as is known by now. */
  viewer(): Viewer;
  /** Whether the viewer may list the kind in the namespace, or in the cluster if it is empty; false also while that is not known. */
  sees(plural: string, namespace: string): boolean;
  /** Resolves when the rights in these namespaces are known. Those that are known already cost nothing. */
  look(namespaces: Iterable<string>): Promise<void>;
  /** Called when the viewer may see something else than before. Returns a function that ends that. */
  onChanged(listener: () => void): () => void;
  /** Whether somebody waits for changes. */
  isFollowed(): boolean;
  /** Asks again for rights whose answers are no longer fresh. */
  refresh(): Promise<void>;
}

/** The sight of one whose rights the API server checks by itself, since the server has these and no others. */
export function openSight(viewer: Viewer): Sight {
  const hidden = new Set(viewer.hidden);
  const namespaces = viewer.namespaces && new Set(viewer.namespaces);
  return {
    viewer: () => viewer,
    sees: (plural, namespace) => !hidden.has(plural) && (namespace === '' || !namespaces || namespaces.has(namespace)),
    look: async () => {},
    onChanged: () => () => {},
    isFollowed: () => false,
    refresh: async () => {},
  };
}
