import { timestamp } from '../kube/clock.ts';
import type { KubeObject } from '../kube/types.ts';

/** Version of the simulated cluster. */
export const KUBERNETES = 'v1.34.0';
const CAPACITY = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '200Gi' };

/** Nodes on which no program runs: what is created there is said to run. */
export function simulatedNodes(count: number, now: number): readonly KubeObject[] {
  const time = timestamp(now);
  return Array.from({ length: count }, (_, i) => {
    const name = `playground-${i}`;
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: {
          'kubernetes.io/hostname': name,
          'kubernetes.io/os': 'linux',
          'kubernetes.io/arch': 'amd64',
          'node.kubernetes.io/instance-type': 'simulated',
        },
      },
      spec: {},
      status: {
        capacity: CAPACITY,
        allocatable: CAPACITY,
        addresses: [
          { type: 'InternalIP', address: `10.1.0.${i + 1}` },
          { type: 'Hostname', address: name },
        ],
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'KubeletReady',
            message: 'simulated: no kubelet runs',
            lastHeartbeatTime: time,
            lastTransitionTime: time,
          },
        ],
        nodeInfo: {
          kubeletVersion: KUBERNETES,
          kubeProxyVersion: '',
          osImage: 'none: a simulated node',
          kernelVersion: 'simulated',
          containerRuntimeVersion: 'simulated://1',
          operatingSystem: 'linux',
          architecture: 'amd64',
          machineID: '',
          systemUUID: '',
          bootID: '',
        },
      },
    };
  });
}
