import juicefs from '../../../runtimes/juicefs/index.ts';
import type { JuiceFSPlan } from '../../../runtimes/juicefs/plan.ts';
import type { JuiceFSRuntimeSpec } from '../../../runtimes/juicefs/spec.ts';
import { type EncryptOption, type Fault, InvalidSpec, type Mount } from '../../../src/api/index.ts';
import type { RuntimeInput, Role } from '../../../src/constructs/index.ts';
import { type Given, planInput } from '../../../src/testing/given.ts';

export type Case = Omit<Given<JuiceFSRuntimeSpec>, 'mounts'> & { readonly mount?: Partial<Mount> };

export const secret = (name: string, key = name, from = 'jfs'): EncryptOption => ({
  name,
  valueFrom: { secretKeyRef: { name: from, key } },
});

/** A community file system `minio` for dataset `ml/demo`. */
export const community = ({ mount, facts, ...rest }: Case = {}): RuntimeInput<JuiceFSRuntimeSpec> =>
  planInput({
    ...rest,
    mounts: [{ mountPoint: 'juicefs:///', name: 'minio', encryptOptions: [secret('metaurl')], ...mount }],
    facts: { ports: { worker: 14001, fuse: 14002 }, ...facts },
  });

/** An enterprise file system `vol` for dataset `ml/demo`. */
export const enterprise = ({ mount, ...rest }: Case = {}): RuntimeInput<JuiceFSRuntimeSpec> =>
  planInput({ ...rest, mounts: [{ mountPoint: 'juicefs:///', name: 'vol', encryptOptions: [secret('token')], ...mount }] });

export const planOf = (input: RuntimeInput<JuiceFSRuntimeSpec>): JuiceFSPlan => juicefs.bind(input).plan as JuiceFSPlan;

/** `-o` of a role, taken apart. */
export const mountOptions = (input: RuntimeInput<JuiceFSRuntimeSpec>, role: 'worker' | 'fuse'): Record<string, string> =>
  Object.fromEntries(
    planOf(input)
      .pods[role].options.split(',')
      .map((option) => [option.split('=')[0], option.split('=').slice(1).join('=')]),
  );

/** The fault of a spec, and the object that has it. */
export function refusal(input: RuntimeInput<JuiceFSRuntimeSpec>): {
  readonly object?: string | undefined;
  readonly faults: readonly Fault[];
} {
  try {
    juicefs.bind(input);
  } catch (error) {
    if (error instanceof InvalidSpec) return { object: error.object, faults: error.faults };
    throw error;
  }
  return { faults: [] };
}

interface Workload {
  readonly spec: {
    readonly replicas?: number;
    readonly volumeClaimTemplates?: readonly unknown[];
    readonly template: { readonly metadata: { readonly labels: Record<string, string> }; readonly spec: Pod };
  };
}
interface Pod {
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly name: string }[];
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly dnsPolicy: string;
  readonly hostNetwork?: boolean;
}
interface Container {
  readonly env: readonly { readonly name: string }[];
  readonly ports?: readonly object[];
  readonly resources: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
}

export function workload(
  input: RuntimeInput<JuiceFSRuntimeSpec>,
  role: 'worker' | 'fuse',
): Workload['spec'] & { readonly pod: Pod; readonly container: Container } {
  const manifest = juicefs
    .bind(input)
    .synth(role satisfies Role)
    .find(({ kind }) => kind === 'StatefulSet' || kind === 'DaemonSet');
  const { spec } = manifest as unknown as Workload;
  return { ...spec, pod: spec.template.spec, container: spec.template.spec.containers[0] };
}

export function scriptOf(input: RuntimeInput<JuiceFSRuntimeSpec>, role: 'worker' | 'fuse'): string {
  const config = juicefs
    .bind(input)
    .synth(role)
    .find(({ kind }) => kind === 'ConfigMap');
  return (config as unknown as { readonly data: Record<string, string> }).data['script.sh'] ?? '';
}
