import type { PlanInput, PortNeed } from '../../src/constructs/index.ts';
import { type Deployment, deploymentOf } from './masters.ts';
import type { JindoRuntimeSpec } from './spec.ts';

const PORTS = {
  master: { in: 'master', portName: 'rpc', usual: 8101 },
  raft: { in: 'master', portName: 'raft', usual: 8103 },
  worker: { in: 'worker', portName: 'rpc', usual: 6101 },
  metrics: { in: 'fuse', portName: 'jindo-metrics', usual: 10001 },
} as const;
type Name = keyof typeof PORTS;
/** Names in the record of host ports. */
export const portNames = Object.keys(PORTS) as readonly Name[];
export type Ports = Readonly<Record<Name, number>>;

/** The range of Fluid's chart. */
const RANGE = [18000, 19999] as const;

type Input = Pick<PlanInput<JindoRuntimeSpec>, 'spec' | 'settings' | 'facts' | 'runtime'>;

export const isOnHost = ({ networkmode }: JindoRuntimeSpec): boolean => networkmode !== 'ContainerNetwork';

/** Only JindoCache offers metrics of clients. */
export const hasMetrics = ({ spec, runtime }: Pick<Input, 'spec' | 'runtime'>): boolean =>
  runtime.engine === 'jindocache' && spec.fuse?.metrics?.enabled === true;

/** Which programs of this runtime listen. */
const isUsed = (input: Input, { masters, hasWorkers }: Deployment): Readonly<Record<Name, boolean>> => ({
  master: masters > 0,
  raft: masters > 1,
  worker: hasWorkers,
  metrics: hasMetrics(input),
});

/** Never throws: the plan reports what is wrong. */
export function portNeeds(input: Input): readonly PortNeed[] {
  if (!isOnHost(input.spec)) return [];
  const range = input.settings.portRanges['jindo'] ?? RANGE;
  const used = isUsed(input, deploymentOf(input.spec));
  return portNames.filter((name) => used[name]).map((name) => ({ name, range, in: PORTS[name].in, portName: PORTS[name].portName }));
}

export function portsOf({ spec, facts }: Input): Ports {
  const port = (name: Name): number => (isOnHost(spec) && facts.ports[name]) || PORTS[name].usual;
  return { master: port('master'), raft: port('raft'), worker: port('worker'), metrics: port('metrics') };
}

/** As Kubernetes lists it in a container. */
export const containerPort = (name: Name, port: number) => ({ name: PORTS[name].portName, containerPort: port, protocol: 'TCP' });
