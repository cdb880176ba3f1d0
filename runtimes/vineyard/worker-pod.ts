import type { ResourceRequirements } from '../../src/api/index.ts';
import { environment, literal, type Mounted, mountedAt, podBase, volumesOf, fromField } from '../../src/constructs/index.ts';
import { imageFor, type Input, users } from './pod.ts';
import { isLess, type Levels, memoryOf } from './levels.ts';
import type { WorkerOptions } from './options.ts';
import { containerPort, type Ports } from './ports.ts';

const DIRECTORY = '/var/run/vineyard';
const SOCKET = `${DIRECTORY}/vineyard-worker.sock`;

interface Parts {
  readonly endpoints: string;
  readonly ports: Ports;
  readonly levels: Levels;
  readonly options: WorkerOptions;
  /** Where clients on the node look for the socket. */
  readonly hostPath: string;
}

/** A server of Vineyard. */
export function workerPod(input: Input, { endpoints, ports, levels, options, hostPath }: Parts) {
  const { spec, namespace, name } = input;
  const { spill } = levels;
  const own: readonly Mounted[] = [
    mountedAt(DIRECTORY, 'vineyard-socket-volume', { hostPath: { path: hostPath, type: 'DirectoryOrCreate' } }),
    ...(spill ? [spill.mounted] : []),
  ];
  const { volumes, volumeMounts } = volumesOf([...own, ...users(input, 'worker', own)]);
  return {
    ...podBase(spec, spec.worker),
    volumes,
    container: {
      ...imageFor('worker', input),
      command: [
        '/usr/local/bin/vineyardd',
        '--socket',
        SOCKET,
        '--size',
        levels.size,
        ...(options.reservesMemory ? ['--reserve_memory'] : []),
        '--meta_timeout',
        options.timeout,
        '--etcd_prefix',
        literal(options.prefix),
        '--etcd_endpoint',
        endpoints,
        '--rpc_socket_port',
        String(ports.rpc),
        ...(spill ? ['--spill_path', literal(spill.directory), '--spill_lower_rate', spill.low, '--spill_upper_rate', spill.high] : []),
      ],
      env: [
        { name: 'VINEYARDD_NAME', value: `${name}-vineyardd` },
        { name: 'VINEYARDD_NAMESPACE', value: namespace },
        fromField('MY_NODE_NAME', 'spec.nodeName'),
        fromField('MY_POD_NAME', 'metadata.name'),
        fromField('MY_POD_NAMESPACE', 'metadata.namespace'),
        fromField('MY_UID', 'metadata.uid'),
        fromField('MY_POD_IP', 'status.podIP'),
        fromField('MY_HOST_NAME', 'status.podIP'),
        fromField('USER', 'metadata.name'),
        ...environment(spec.worker?.env),
      ],
      ports: [containerPort('rpc', ports.rpc)],
      resources: raisedTo(memoryOf(levels), spec.worker?.resources),
      volumeMounts,
      lifecycle: { preStop: { exec: { command: ['rm', '-f', SOCKET] } } },
      livenessProbe: { tcpSocket: { port: ports.rpc }, periodSeconds: 60 },
      // Fluid looks after 15 seconds for the first time; a server takes one.
      readinessProbe: { exec: { command: ['ls', SOCKET] }, periodSeconds: 3, failureThreshold: 10 },
    },
  };
}

/** As in Fluid, a request or a limit that does not hold the memory for objects is raised. */
export function raisedTo(needed: string, said: ResourceRequirements = {}): ResourceRequirements {
  const { requests, limits } = said;
  const path = 'spec.worker.resources';
  const request = isLess(requests?.['memory'], needed, `${path}.requests.memory`) ? needed : String(requests?.['memory']);
  const limit = isLess(limits?.['memory'], request, `${path}.limits.memory`) ? request : limits?.['memory'];
  return { ...said, requests: { ...requests, memory: request }, limits: { ...limits, memory: String(limit) } };
}
