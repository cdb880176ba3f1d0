import { isOnHost, must, type PlanInput, type PortNeed, togetherEach } from '../../src/constructs/index.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';

/** Programs that listen. */
export type Component = 'master' | 'jobMaster' | 'worker' | 'jobWorker' | 'apiGateway';

interface Port {
  readonly component: Component;
  /** In `spec.<component>.ports`. */
  readonly key: 'rpc' | 'web' | 'data' | 'embeddedJournal';
  readonly property: string;
  readonly portName: string;
  /** Where the pod has an address of its own. */
  readonly usual: number;
}

const PORTS = {
  masterRpc: { component: 'master', key: 'rpc', property: 'alluxio.master.rpc.port', portName: 'rpc', usual: 19998 },
  masterWeb: { component: 'master', key: 'web', property: 'alluxio.master.web.port', portName: 'web', usual: 19999 },
  jobMasterRpc: { component: 'jobMaster', key: 'rpc', property: 'alluxio.job.master.rpc.port', portName: 'job-rpc', usual: 20001 },
  jobMasterWeb: { component: 'jobMaster', key: 'web', property: 'alluxio.job.master.web.port', portName: 'job-web', usual: 20002 },
  masterJournal: {
    component: 'master',
    key: 'embeddedJournal',
    property: 'alluxio.master.embedded.journal.port',
    portName: 'embedded',
    usual: 19200,
  },
  jobMasterJournal: {
    component: 'jobMaster',
    key: 'embeddedJournal',
    property: 'alluxio.job.master.embedded.journal.port',
    portName: 'job-embedded',
    usual: 20003,
  },
  workerRpc: { component: 'worker', key: 'rpc', property: 'alluxio.worker.rpc.port', portName: 'rpc', usual: 29999 },
  workerWeb: { component: 'worker', key: 'web', property: 'alluxio.worker.web.port', portName: 'web', usual: 30000 },
  jobWorkerRpc: { component: 'jobWorker', key: 'rpc', property: 'alluxio.job.worker.rpc.port', portName: 'job-rpc', usual: 30001 },
  jobWorkerData: { component: 'jobWorker', key: 'data', property: 'alluxio.job.worker.data.port', portName: 'job-data', usual: 30002 },
  jobWorkerWeb: { component: 'jobWorker', key: 'web', property: 'alluxio.job.worker.web.port', portName: 'job-web', usual: 30003 },
  gateway: { component: 'apiGateway', key: 'web', property: 'alluxio.proxy.web.port', portName: 'rest', usual: 39999 },
} as const satisfies Readonly<Record<string, Port>>;

type Name = keyof typeof PORTS;
/** Names in the record of host ports. */
export const portNames = Object.keys(PORTS) as readonly Name[];
/** The journals that several masters write together. */
type Journal = 'masterJournal' | 'jobMasterJournal';
export type Ports = Readonly<Record<Exclude<Name, Journal>, number> & Partial<Record<Journal, number>>>;

type Input = Pick<PlanInput<AlluxioRuntimeSpec>, 'spec' | 'settings' | 'facts'>;
type Spec = AlluxioRuntimeSpec;

/** Master and worker name each other's ports: they are the same for both, if either is on the node's network. */
const needNode = ({ master, worker }: Spec): boolean => isOnHost(master) || isOnHost(worker);

const hasJournals = ({ master }: Spec): boolean => (master?.replicas ?? 1) > 1;
const isJournal = (name: Name): name is Journal => PORTS[name].key === 'embeddedJournal';
const known = (spec: Spec): readonly Name[] => portNames.filter((name) => !isJournal(name) || hasJournals(spec));
const names = (spec: Spec): readonly Name[] => known(spec).filter((name) => name !== 'gateway' || spec.apiGateway?.enabled);

/** The keys that `spec.<component>.ports` may have. */
export const portKeys = (spec: Spec, component: Component): readonly string[] =>
  known(spec).flatMap((name) => (PORTS[name].component === component ? [PORTS[name].key] : []));

/** The user's port as written: the property, or else the entry of `ports`. */
function chosen(spec: Spec, { component, key, property }: Port): { readonly value: string; readonly path: string } | undefined {
  const said = spec.properties?.[property];
  if (said !== undefined) return { value: said, path: `spec.properties[${property}]` };
  const listed = spec[component]?.ports?.[key];
  return listed === undefined ? undefined : { value: String(listed), path: `spec.${component}.ports.${key}` };
}

/** Never throws: the plan reports what is wrong. */
export function portNeeds({ spec, settings }: Input): readonly PortNeed[] {
  if (!needNode(spec)) return [];
  const range = settings.portRanges['alluxio'] ?? RANGE;
  const except = names(spec).flatMap((name) => Number(chosen(spec, PORTS[name])?.value ?? []));
  return names(spec)
    .filter((name) => !chosen(spec, PORTS[name]))
    .map((name) => ({ name, range, except, in: podOf(name), portName: PORTS[name].portName }));
}
const podOf = (name: Name) => (PORTS[name].component === 'worker' || PORTS[name].component === 'jobWorker' ? 'worker' : 'master');

/** The range of Fluid's chart. */
const RANGE = [20000, 26000] as const;

export function portsOf({ spec, facts }: Input): Ports {
  const numbers = togetherEach(known(spec), (name): [Name, number] => {
    const port = PORTS[name];
    const said = chosen(spec, port);
    if (!said) return [name, (needNode(spec) && facts.ports[name]) || port.usual];
    const number = Number(said.value);
    must(Number.isInteger(number) && number > 0 && number < 2 ** 16, said.path, 'a port, 1 to 65535', said.value);
    return [name, number];
  });
  const ports = Object.fromEntries(numbers) as unknown as Ports;
  apart(spec, ports);
  return ports;
}

/** Programs of one pod share its address. */
function apart(spec: Spec, ports: Ports): void {
  const taken = new Set<string>();
  // A user's port is checked against all ports that users do not choose.
  const inOrder = names(spec).toSorted((a, b) => Number(!!chosen(spec, PORTS[a])) - Number(!!chosen(spec, PORTS[b])));
  togetherEach(inOrder, (name) => {
    const place = `${podOf(name)} ${ports[name]}`;
    const { path = '' } = chosen(spec, PORTS[name]) ?? {};
    must(!taken.has(place), path, 'a port that no other program of the pod has', ports[name]);
    taken.add(place);
  });
}

/** So that every process knows every port. */
export const portProperties = (spec: Spec, ports: Ports): Readonly<Record<string, string>> =>
  Object.fromEntries(names(spec).map((name) => [PORTS[name].property, String(ports[name])]));

/** The ports of a container. */
export const containerPorts = (ports: Ports, component: Component) =>
  portNames.flatMap((name) => {
    const containerPort = ports[name];
    return PORTS[name].component !== component || containerPort === undefined
      ? []
      : [{ name: PORTS[name].portName, containerPort, protocol: 'TCP' }];
  });
