import vineyard from '../../../runtimes/vineyard/index.ts';
import type { VineyardPlan } from '../../../runtimes/vineyard/plan.ts';
import type { VineyardRuntimeSpec } from '../../../runtimes/vineyard/spec.ts';
import type { Manifest } from '../../../src/api/index.ts';
import type { RuntimeInput } from '../../../src/constructs/index.ts';
import { type Given, planInput } from '../../../src/testing/given.ts';

const PORTS = { client: 32001, peer: 32002, rpc: 32003 };
export const memory = { levels: [{ mediumtype: 'MEM' as const, quota: '2Gi' }] };
/** The ports are those of the spec. */
export const podNetwork = { networkMode: 'ContainerNetwork' as const };

/** A Vineyard for dataset `ml/demo`, on the node's network. */
export const given = ({ facts, mounts = [], spec, ...rest }: Given<VineyardRuntimeSpec> = {}): RuntimeInput<VineyardRuntimeSpec> =>
  planInput({ ...rest, mounts, spec: { replicas: 2, tieredstore: memory, ...spec }, facts: { ports: PORTS, ...facts } });

export const planOf = (input: RuntimeInput<VineyardRuntimeSpec>): VineyardPlan => vineyard.bind(input).plan as VineyardPlan;
export const warningsOf = (input: RuntimeInput<VineyardRuntimeSpec>): readonly string[] =>
  planOf(input).warnings.map(({ message }) => message);

type Role = 'master' | 'worker' | 'fuse';
interface Workload extends Manifest {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> };
      readonly spec: Pod;
    };
  };
}
interface Pod {
  readonly containers: readonly [Container];
  readonly volumes?: readonly { readonly name: string }[];
  readonly tolerations?: readonly object[];
  readonly hostNetwork?: boolean;
  readonly priorityClassName?: string;
  readonly securityContext?: object;
  readonly affinity?: object;
}
interface Container {
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: { readonly limits?: Record<string, string>; readonly requests?: Record<string, string> };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
}

export const made = (input: RuntimeInput<VineyardRuntimeSpec>, role: Role): readonly Manifest[] => vineyard.bind(input).synth(role);
export const workload = (input: RuntimeInput<VineyardRuntimeSpec>, role: Role): Workload =>
  // The cast: the test reads what it finds.
  made(input, role).find(({ kind }) => kind === 'StatefulSet' || kind === 'DaemonSet') as Workload;
export const podOf = (input: RuntimeInput<VineyardRuntimeSpec>, role: Role): Pod => workload(input, role).spec.template.spec;
export const container = (input: RuntimeInput<VineyardRuntimeSpec>, role: Role): Container => podOf(input, role).containers[0];
export const envOf = (input: RuntimeInput<VineyardRuntimeSpec>, role: Role): Record<string, string | undefined> =>
  Object.fromEntries(container(input, role).env.map(({ name, value }) => [name, value]));
/** The value of a flag of vineyardd. */
export function flag(input: RuntimeInput<VineyardRuntimeSpec>, name: string): string | undefined {
  const { command } = container(input, 'worker');
  const at = command.indexOf(name);
  return at < 0 ? undefined : command[at + 1];
}
