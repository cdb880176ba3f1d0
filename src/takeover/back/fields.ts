import type { KubeObject } from '../../kube/types.ts';

/** Fields of specs that Sluice's CRDs have and Fluid's have not, by kind. A test compares them with the differences of the CRDs. */
export const SLUICE_ONLY: Readonly<Record<string, readonly string[]>> = {
  JuiceFSRuntime: [
    'spec.imagePullSecrets',
    'spec.volumeClaimTemplates[].metadata.name',
    'spec.volumeClaimTemplates[].metadata.labels',
    'spec.volumeClaimTemplates[].metadata.annotations',
  ],
  CacheRuntimeClass: ['master', 'worker', 'client'].flatMap((role) =>
    ['labels', 'annotations'].map((field) => `topology.${role}.template.metadata.${field}`),
  ),
};

/** Which of these fields an object has. */
export const sluiceOnly = (object: KubeObject): readonly string[] =>
  (SLUICE_ONLY[object.kind] ?? []).filter((path) => hasValue(object, path.split('.')));

function hasValue(value: unknown, [field, ...rest]: readonly string[]): boolean {
  if (field === undefined) return value !== undefined && value !== null;
  if (typeof value !== 'object' || value === null) return false;
  const isList = field.endsWith('[]');
  // The cast: an object; each of its fields is unknown.
  const next = (value as Readonly<Record<string, unknown>>)[isList ? field.slice(0, -2) : field];
  return isList ? Array.isArray(next) && next.some((each) => hasValue(each, rest)) : hasValue(next, rest);
}
