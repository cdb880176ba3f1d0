import type { ResourceRequirements } from '../../src/api/index.ts';
import { environment, withMemory } from '../../src/constructs/index.ts';
import { addressList } from './addresses.ts';
import { type Input, type Parts, podOf, rdmaContext, runAsUser, tolerationsOf, users, volumesOf } from './pod.ts';
import { containerPort } from './ports.ts';
import { MEMORY_LIMIT } from './switches.ts';

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
