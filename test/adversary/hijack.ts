import type { KubeObject } from '../../src/kube/types.ts';
import { CANARY } from './scene.ts';

type Fields = Readonly<Record<string, unknown>>;
// Objects of the API server in memory are JSON.
const fields = (value: unknown): Fields | undefined => (typeof value === 'object' && value !== null ? (value as Fields) : undefined);

/** Where workloads have the spec of their pods. */
const PATHS: readonly (readonly string[])[] = [['spec', 'jobTemplate', 'spec', 'template', 'spec'], ['spec', 'template', 'spec'], ['spec']];

const at = (object: unknown, [field, ...rest]: readonly string[]): unknown =>
  field === undefined ? object : at(fields(object)?.[field], rest);
const pathOf = (object: KubeObject): readonly string[] | undefined =>
  PATHS.find((path) => Array.isArray(fields(at(object, path))?.['containers']));

/** The spec of the pods of a workload; undefined for what has no pods. */
export const podSpecOf = (object: KubeObject): Fields | undefined => fields(at(object, pathOf(object) ?? ['none']));

/** The workload with a program of the attacker, which needs none of the ConfigMaps and Secrets, and keeps the directories of the node. */
export function hijacked(object: KubeObject): KubeObject {
  const put = (value: unknown, [field, ...rest]: readonly string[]): unknown =>
    field === undefined ? withOwnProgram(fields(value) ?? {}) : { ...fields(value), [field]: put(fields(value)?.[field], rest) };
  // The cast: only the spec of its pods has changed.
  return put(object, pathOf(object) ?? []) as KubeObject;
}

function withOwnProgram(spec: Fields): Fields {
  const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as readonly Fields[]) : []);
  const own = (container: Fields): Fields => ({
    ...container,
    image: CANARY,
    ...('env' in container && { env: list(container['env']).filter(({ valueFrom }) => valueFrom === undefined) }),
    ...('envFrom' in container && { envFrom: [] }),
  });
  return {
    ...spec,
    containers: list(spec['containers']).map(own),
    ...('volumes' in spec && {
      volumes: list(spec['volumes']).map((each) => (isOfNode(each) ? each : { name: each['name'], emptyDir: {} })),
    }),
  };
}
const isOfNode = (volume: Fields): boolean => 'hostPath' in volume || 'persistentVolumeClaim' in volume || 'emptyDir' in volume;
