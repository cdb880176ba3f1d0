import { isOnHost, type PlanInput, type PortNeed } from '../../src/constructs/index.ts';
import type { EFCRuntimeSpec } from './spec.ts';

/** At which a worker serves its cache. */
export const RPC = 'rpc';
/** Names in the record of host ports. */
export const portNames: readonly string[] = [RPC];

/** Where the pod has an address of its own. */
const USUAL = 14555;
/** The range of Fluid's chart. */
const RANGE = [16000, 17999] as const;

type Input = Pick<PlanInput<EFCRuntimeSpec>, 'spec' | 'settings' | 'facts'>;

export const hasWorkers = ({ worker }: EFCRuntimeSpec): boolean => !worker?.disabled;

export const portNeeds = ({ spec, settings }: Input): readonly PortNeed[] =>
  hasWorkers(spec) && isOnHost(spec.worker) ? [{ name: RPC, range: settings.portRanges['efc'] ?? RANGE, in: 'worker', portName: RPC }] : [];

export const portOf = ({ spec, facts }: Input): number => (isOnHost(spec.worker) && facts.ports[RPC]) || USUAL;

/** As Kubernetes lists it in a container. */
export const containerPort = (port: number) => ({ name: RPC, containerPort: port, protocol: 'TCP' });
