/** Paths of the API, and the pairs of Dataset and runtime that users write. */
import type { KubeObject } from '../src/kube/types.ts';
import { BENCHED, type Kind } from './kinds.ts';

const GROUP = 'data.fluid.io/v1alpha1';

export const paths = {
  namespaces: '/api/v1/namespaces',
  nodes: '/api/v1/nodes',
  volumes: '/api/v1/persistentvolumes',
  companions: (plural: string) => `/apis/${GROUP}/${plural}`,
  datasets: (namespace: string) => `/apis/${GROUP}/namespaces/${namespace}/datasets`,
  runtimes: (kind: Kind, namespace: string) => `/apis/${GROUP}/namespaces/${namespace}/${BENCHED[kind].plural}`,
  core: (namespace: string, plural: string) => `/api/v1/namespaces/${namespace}/${plural}`,
  apps: (namespace: string, plural: string) => `/apis/apps/v1/namespaces/${namespace}/${plural}`,
  rbac: (namespace: string, plural: string) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/${plural}`,
};

export interface Pair {
  readonly dataset: KubeObject;
  readonly runtime: KubeObject;
}

export function pair(kind: Kind, namespace: string, name: string): Pair {
  const metadata = { namespace, name };
  const { runtimeKind, runtime, dataset } = BENCHED[kind];
  return {
    dataset: { apiVersion: GROUP, kind: 'Dataset', metadata, spec: dataset },
    runtime: { apiVersion: GROUP, kind: runtimeKind, metadata, spec: runtime },
  };
}
