import efc from '../../../runtimes/efc/index.ts';
import type { EfcPlan } from '../../../runtimes/efc/plan.ts';
import type { EFCRuntimeSpec } from '../../../runtimes/efc/spec.ts';
import type { Manifest, Mount } from '../../../src/api/index.ts';
import type { PodFact, RuntimeInput } from '../../../src/constructs/index.ts';
import { type Given, planInput } from '../../../src/testing/given.ts';

export const nas: Mount = { mountPoint: 'nfs://0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/images', name: 'images' };

/** An access point of NAS for dataset `ml/demo`, on the node's network. */
export const given = ({ facts, mounts = [nas], ...rest }: Given<EFCRuntimeSpec> = {}): RuntimeInput<EFCRuntimeSpec> =>
  planInput({ ...rest, mounts, facts: { ports: { rpc: 16001 }, ...facts } });

export const workers = (...ips: readonly string[]): readonly PodFact[] =>
  ips.map((ip, i) => ({ name: `demo-worker-${i}`, uid: `u${i}`, ip, node: `node-${i}` }));

export const planOf = (input: RuntimeInput<EFCRuntimeSpec>): EfcPlan => efc.bind(input).plan as EfcPlan;
export const warningsOf = (input: RuntimeInput<EFCRuntimeSpec>): readonly string[] => planOf(input).warnings.map(({ message }) => message);

interface Workload {
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
  readonly dnsPolicy?: string;
  readonly hostNetwork?: boolean;
  readonly terminationGracePeriodSeconds?: number;
}
interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: { readonly limits?: Record<string, string>; readonly requests?: Record<string, string> };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

type Role = 'master' | 'worker' | 'fuse';
export const made = (input: RuntimeInput<EFCRuntimeSpec>): readonly Manifest[] =>
  (['master', 'fuse', 'worker'] as const).flatMap(efc.bind(input).synth);
export function workloadOf(input: RuntimeInput<EFCRuntimeSpec>, role: Role) {
  const workload = efc
    .bind(input)
    .synth(role)
    .find(({ kind }) => kind === 'StatefulSet' || kind === 'DaemonSet');
  return workload as unknown as Workload & Manifest;
}
export const podOf = (input: RuntimeInput<EFCRuntimeSpec>, role: Role) => workloadOf(input, role).spec.template.spec;
export const container = (input: RuntimeInput<EFCRuntimeSpec>, role: Role) => podOf(input, role).containers[0];
/** The options of a component, by name. */
export const optionsOf = (input: RuntimeInput<EFCRuntimeSpec>, role: Role): Readonly<Record<string, string>> =>
  Object.fromEntries((container(input, role).args.at(-1) ?? '').split(',').map((each) => each.split('=') as [string, string]));
