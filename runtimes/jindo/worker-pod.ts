import { environment, fromField, withMemory } from '../../src/constructs/index.ts';
import { addressList } from './addresses.ts';
import { type Input, type Parts, podOf, rdmaContext, runAsUser, tolerationsOf, users, volumesOf } from './pod.ts';
import { containerPort, isOnHost } from './ports.ts';
import { quantityText } from './tiers.ts';

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
