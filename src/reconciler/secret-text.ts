/**
 * A Secret in a message: its namespace and name, and which field names it.
 *
 * @param name `<name>`, or `<namespace>/<name>` where it is not in the dataset's own namespace
 * @param specs by the kind whose spec it is
 */
export function secretText(name: string, namespace: string, specs: Readonly<Record<string, unknown>>): string {
  // References of a spec are to its own namespace.
  if (name.includes('/')) return name;
  for (const [kind, spec] of Object.entries(specs)) {
    const path = fieldOf(name, spec, 'spec');
    if (path !== undefined) return `${namespace}/${name} of ${path} in the ${kind}`;
  }
  return `${namespace}/${name}`;
}

/** Where a reference to a Secret of this name stands, if anywhere: profiles name some as well. */
function fieldOf(name: string, value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
    const isIt = key === 'secretKeyRef' && typeof inner === 'object' && inner !== null && 'name' in inner && inner.name === name;
    const found = isIt ? at : fieldOf(name, inner, at);
    if (found !== undefined) return found;
  }
  return undefined;
}
