import { isOnHost, must, type PlanInput, type PortNeed } from '../../src/constructs/index.ts';
import { ownMasters } from './etcd.ts';
import type { VineyardRuntimeSpec } from './spec.ts';

const PORTS = {
  client: { in: 'master', usual: 2379 },
  peer: { in: 'master', usual: 2380 },
  rpc: { in: 'worker', usual: 9600 },
} as const;
type Name = keyof typeof PORTS;
/** Names in the record of host ports, in `ports` of a component, and of container ports. */
export const portNames = Object.keys(PORTS) as readonly Name[];
/** Those that `ports` of this component may name. */
export const portNamesOf = (role: 'master' | 'worker'): readonly Name[] => portNames.filter((name) => PORTS[name].in === role);
export type Ports = Readonly<Record<Name, number>>;

/** The range of Fluid's chart. */
const RANGE = [32000, 34000] as const;

type Input = Pick<PlanInput<VineyardRuntimeSpec>, 'spec' | 'settings' | 'facts'>;

/** Never throws: the plan reports what is wrong. */
export function portNeeds(input: Input): readonly PortNeed[] {
  const { spec, settings } = input;
  const range = settings.portRanges['vineyard'] ?? RANGE;
  return portNames
    .filter((name) => isOnHost(spec[PORTS[name].in]) && (PORTS[name].in === 'worker' || ownMasters(input) > 0))
    .map((name) => ({ name, range, in: PORTS[name].in, portName: name }));
}

/** On the network of the node those that were allocated, as in Fluid; otherwise those that the user wrote. */
export function portsOf({ spec, facts }: Input): Ports {
  const port = (name: Name): number => {
    const role = PORTS[name].in;
    if (isOnHost(spec[role])) return facts.ports[name] ?? PORTS[name].usual;
    const said = spec[role]?.ports?.[name];
    must(said === undefined || (said > 0 && said < 65536), `spec.${role}.ports.${name}`, 'a port from 1 to 65535', said);
    return said ?? PORTS[name].usual;
  };
  const [client, peer, rpc] = [port('client'), port('peer'), port('rpc')];
  must(client !== peer, 'spec.master.ports.peer', `another port than that of clients, ${client}`, peer);
  return { client, peer, rpc };
}

/** As Kubernetes lists it in a container. */
export const containerPort = (name: Name, port: number) => ({ name, containerPort: port, protocol: 'TCP' });
