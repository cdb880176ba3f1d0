/** The configuration that a kubelet needs before it starts the containers of a pod, besides file systems. */
import type { PodSpec } from '../api/index.ts';
import type { ApiServer } from '../api-server/index.ts';
import type { KubeObject } from '../kube/types.ts';

interface Reference {
  readonly name?: string;
  readonly key?: string;
  readonly optional?: boolean;
}

/** Why no container can start, in the words of a kubelet: a Secret or a ConfigMap, or a key of one, does not exist. */
export function whyNotStarted(server: ApiServer, pod: KubeObject): string | undefined {
  const { initContainers = [], containers = [], volumes = [] } = pod['spec'] as Partial<PodSpec>;
  const all = [...initContainers, ...containers];
  const env = all.flatMap((each) => each.env ?? []).map(({ valueFrom }) => valueFrom);
  const from = all.flatMap((each) => each.envFrom ?? []);
  const secrets = [
    ...env.flatMap((each) => each?.secretKeyRef ?? []),
    ...from.flatMap((each) => each.secretRef ?? []),
    ...volumes.flatMap(({ secret }) => (secret ? { ...secret, name: secret.secretName ?? '' } : [])),
  ];
  const maps = [
    ...env.flatMap((each) => each?.configMapKeyRef ?? []),
    ...from.flatMap((each) => each.configMapRef ?? []),
    ...volumes.flatMap((each) => each.configMap ?? []),
  ];
  const missing = (kind: 'Secret' | 'ConfigMap', references: readonly Reference[]): string | undefined => {
    for (const { name = '', key, optional } of references) {
      if (optional || name === '') continue;
      const found = server.get(kind, pod.metadata.namespace, name);
      if (!found) return `${kind.toLowerCase()} "${name}" not found`;
      const { data = {}, binaryData = {} } = found as { readonly data?: object; readonly binaryData?: object };
      if (key !== undefined && !(key in data) && !(key in binaryData))
        return `couldn't find key ${key} in ${kind} ${pod.metadata.namespace}/${name}`;
    }
    return undefined;
  };
  return missing('Secret', secrets) ?? missing('ConfigMap', maps);
}
