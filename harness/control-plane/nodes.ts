/** The simulated nodes. kwok makes every Node object Ready; only the objects come from here. */
import type { Api } from './api.ts';
import type { Labels } from './pod-target.ts';
import { until } from './until.ts';

export interface SimulatedNodes {
  /** Adds a node and returns once pods can be scheduled to it. */
  add(name: string, labels?: Labels): Promise<void>;
  remove(name: string): Promise<void>;
}

interface Node {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export function simulatedNodes(api: Api): SimulatedNodes {
  return {
    add: async (name, labels = {}) => {
      await createNode(api, name, labels);
      await untilSchedulable(api, [name]);
    },
    remove: async (name) => {
      await api.call('DELETE', `/api/v1/nodes/${name}`);
    },
  };
}

export async function createNode(api: Api, name: string, labels: Labels): Promise<void> {
  const metadata = {
    name,
    labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64', ...labels },
    annotations: { 'kwok.x-k8s.io/node': 'fake' },
  };
  await api.call('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
}

/** Ready is not enough: until the controller manager takes the not-ready taint away, nothing is scheduled. */
export async function untilSchedulable(api: Api, names: readonly string[], hopeless?: () => string | undefined): Promise<void> {
  const take = async () => {
    const { items } = await api.call<{ readonly items: readonly Node[] }>('GET', '/api/v1/nodes');
    const schedulable = new Set(items.filter(takesPods).map(({ metadata }) => metadata.name));
    return names.every((name) => schedulable.has(name));
  };
  await until(`${names.join(', ')} take pods`, 60, take, hopeless);
}

function takesPods({ spec, status }: Node): boolean {
  const ready = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
  return ready && spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready') !== true;
}
