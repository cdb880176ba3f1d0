/** Nodes that did not get the labels of a runtime at a second try, by UID of the runtime; the first one is often a race with another writer. */
export interface RefusedNodes {
  /** Returns whether `text` says something else from now on. */
  set(runtime: string, node: string, error: string | undefined): boolean;
  /** The first of them, each with its error. */
  text(runtime: string): string | undefined;
  forget(runtime: string): void;
}

const MOST = 5;

export function createRefusedNodes(): RefusedNodes {
  const known = new Map<string, Map<string, string>>();
  const text = (runtime: string): string | undefined => {
    const nodes = known.get(runtime);
    if (!nodes) return undefined;
    const first = [...nodes].slice(0, MOST).map(([node, error]) => `${node}: ${error}`);
    // How many would be another text with each node.
    return first.join('; ') + (nodes.size > MOST ? '; and others' : '');
  };
  return {
    set(runtime, node, error) {
      const nodes = known.get(runtime);
      if (error === nodes?.get(node)) return false;
      const before = text(runtime);
      if (error !== undefined) known.set(runtime, (nodes ?? new Map<string, string>()).set(node, error));
      else nodes?.delete(node);
      if (nodes?.size === 0) known.delete(runtime);
      return text(runtime) !== before;
    },
    text,
    forget: (runtime) => void known.delete(runtime),
  };
}
