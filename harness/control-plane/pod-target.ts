/** Which pods a test means. */
export type Labels = Readonly<Record<string, string>>;

/** Pods of one namespace: all of them, or those with this name (a trailing `*` matches the rest) and these labels. */
export interface PodTarget {
  readonly namespace: string;
  readonly name?: string;
  readonly labels?: Labels;
}

export function selects(target: PodTarget, pod: { readonly namespace: string; readonly name: string; readonly labels: Labels }): boolean {
  const { namespace, name = '*', labels = {} } = target;
  const named = name.endsWith('*') ? pod.name.startsWith(name.slice(0, -1)) : pod.name === name;
  return namespace === pod.namespace && named && Object.entries(labels).every(([key, value]) => pod.labels[key] === value);
}
