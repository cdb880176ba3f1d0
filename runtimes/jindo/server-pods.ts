import type { ResourceRequirements } from '../../src/api/index.ts';
import { environment, fromField, withMemory } from '../../src/constructs/index.ts';
import { addressList } from './masters.ts';
import { type Input, type Parts, podOf, rdmaContext, runAsUser, tolerationsOf, users, volumesOf } from './pod.ts';
import { containerPort, isOnHost } from './ports.ts';
import { MEMORY_LIMIT } from './switches.ts';
import { quantityText } from './tiers.ts';

const LARGE = 100 * 1024 ** 3;

export function masterPod(input: Input, parts: Parts) {
  const { spec, namespace, settings } = input;
  const { engine, masters, ports, tier, images, config, access, native, rdma } = parts;
  const rpc = addressList(masters, namespace, ports.master);
  const raft = masters.map((name) => `${name}.${namespace}:${ports.raft}:0`).join();
  const { volumes, volumeMounts } = volumesOf(engine, 'master', config, [tier.master], access, native, users(input, 'master', parts));
  const isLarge = settings.env[MEMORY_LIMIT] === 'true' && tier.bytes > LARGE;
  return {
    ...podOf(input, 'master'),
    ...tolerationsOf(input, 'master'),
    volumes,
    container: {
      image: images.engine.image,
      imagePullPolicy: images.engine.imagePullPolicy,
      env: [
        { name: 'CLIENT_NAMESPACE_RPC_ADDRESS', value: rpc },
        ...(masters.length > 1 ? [{ name: 'NAMESPACE_BACKEND_RAFT_INITIAL_CONF', value: raft }] : []),
        { name: 'NAMESPACE_BACKEND_RAFT_HOSTNAME', value: masters.map((name) => `${name}.${namespace}`).join() },
        ...runAsUser(spec),
        ...environment(spec.master?.env),
      ],
      ports: [containerPort('master', ports.master), ...(masters.length > 1 ? [containerPort('raft', ports.raft)] : [])],
      resources: isLarge ? largeMemory(spec.master?.resources) : spec.master?.resources,
      volumeMounts,
      ...rdmaContext(rdma),
    },
  };
}

/** A master of a large cache keeps much metadata. What its user says of memory wins. */
const largeMemory = (said: ResourceRequirements = {}): ResourceRequirements =>
  said.requests?.['memory'] === undefined && said.limits?.['memory'] === undefined
    ? withMemory(said, '30Gi', 'spec.master.resources')
    : said;

export function workerPod(input: Input, parts: Parts) {
  const { spec, namespace } = input;
  const { engine, masters, ports, tier, images, config, access, native, rdma } = parts;
  const rpc = addressList(masters, namespace, ports.master);
  const { volumes, volumeMounts } = volumesOf(engine, 'worker', config, tier.worker, access, native, users(input, 'worker', parts));
  const memory = tier.isMemory && tier.bytes > 0 ? quantityText(tier.bytes / 1024 ** 2) : undefined;
  return {
    ...podOf(input, 'worker'),
    ...tolerationsOf(input, 'worker'),
    volumes,
    container: {
      image: images.engine.image,
      imagePullPolicy: images.engine.imagePullPolicy,
      env: [
        { name: 'STORAGE_NAMESPACE_RPC_ADDRESS', value: rpc },
        { name: 'CLIENT_NAMESPACE_RPC_ADDRESS', value: rpc },
        ...runAsUser(spec),
        ...(isOnHost(spec)
          ? [fromField('STORAGE_ADDRESS', 'status.hostIP')]
          : [
              fromField('STORAGE_ADDRESS', 'status.podIP'),
              fromField('POD_NAME', 'metadata.name'),
              { name: 'STORAGE_DATA_PATH', value: tier.directories.join() },
            ]),
        ...environment(spec.worker?.env),
      ],
      ports: [containerPort('worker', ports.worker)],
      resources: withMemory(spec.worker?.resources, memory, 'spec.worker.resources'),
      volumeMounts,
      ...rdmaContext(rdma),
    },
  };
}
