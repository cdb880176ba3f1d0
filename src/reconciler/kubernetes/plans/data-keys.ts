import type { KubeObject } from '../../../kube/types.ts';

/** The keys of a Secret or ConfigMap, sorted. */
export const dataKeys = ({ data, binaryData }: KubeObject): readonly string[] =>
  Object.keys({ ...(data as object | undefined), ...(binaryData as object | undefined) }).toSorted();
