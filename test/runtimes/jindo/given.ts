import jindo from '../../../runtimes/jindo/index.ts';
import type { JindoPlan } from '../../../runtimes/jindo/plan.ts';
import type { JindoRuntimeSpec } from '../../../runtimes/jindo/spec.ts';
import type { EncryptOption, Manifest, Mount } from '../../../src/api/index.ts';
import type { RuntimeInput } from '../../../src/constructs/index.ts';
import { type Given, planInput } from '../../../src/testing/given.ts';

const PORTS = { master: 18001, raft: 18002, worker: 18003, metrics: 18004 };

export const secret = (name: string, key: string = name, from: string = 'oss'): EncryptOption => ({
  name,
  valueFrom: { secretKeyRef: { name: from, key } },
});

export const bucket: Mount = { mountPoint: 'oss://bucket/data', name: 'data', options: { 'fs.oss.endpoint': 'oss.example' } };
export const keys = [secret('fs.oss.accessKeyId', 'id'), secret('fs.oss.accessKeySecret', 'secret')];

/** A bucket for dataset `ml/demo`, on the node's network, by JindoCache. */
export const given = ({ facts, mounts = [bucket], ...rest }: Given<JindoRuntimeSpec> = {}): RuntimeInput<JindoRuntimeSpec> =>
  planInput({ ...rest, mounts, facts: { ports: PORTS, ...facts } });

/** The same by JindoFSx. */
export const fsx = (rest: Given<JindoRuntimeSpec> = {}): RuntimeInput<JindoRuntimeSpec> =>
  given({ ...rest, settings: { ...rest.settings, env: { JINDO_ENGINE_TYPE: 'jindofsx', ...rest.settings?.env } } });

export const planOf = (input: RuntimeInput<JindoRuntimeSpec>): JindoPlan => jindo.bind(input).plan as JindoPlan;
export const warningsOf = (input: RuntimeInput<JindoRuntimeSpec>): readonly string[] =>
  planOf(input).warnings.map(({ message }) => message);

/** Properties of a section of a file. */
export function section(input: RuntimeInput<JindoRuntimeSpec>, name: string, file = 'jindocache.cfg'): Record<string, string> {
  const text = planOf(input).files.data[file] ?? '';
  const [, lines = ''] = text.split(`[${name}]\n`);
  return Object.fromEntries(
    lines
      .split('\n\n', 1)
      .join()
      .split('\n')
      .flatMap((line) => (line ? [[line.slice(0, line.indexOf(' = ')), line.slice(line.indexOf(' = ') + 3)]] : [])),
  );
}

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
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly { readonly name: string }[];
  readonly tolerations?: readonly object[];
  readonly dnsPolicy?: string;
  readonly dnsConfig?: object;
  readonly hostNetwork?: boolean;
}
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: { readonly limits?: Record<string, string>; readonly requests?: Record<string, string> };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
  readonly securityContext?: object;
}

export const made = (input: RuntimeInput<JindoRuntimeSpec>): readonly Manifest[] =>
  (['master', 'fuse', 'worker'] as const).flatMap(jindo.bind(input).synth);

export function templateOf(input: RuntimeInput<JindoRuntimeSpec>, role: 'master' | 'worker' | 'fuse') {
  const workload = jindo
    .bind(input)
    .synth(role)
    .find(({ kind }) => kind === 'StatefulSet' || kind === 'DaemonSet');
  return (workload as unknown as Workload).spec.template;
}
export const podOf = (input: RuntimeInput<JindoRuntimeSpec>, role: 'master' | 'worker' | 'fuse') => templateOf(input, role).spec;
export const container = (input: RuntimeInput<JindoRuntimeSpec>, role: 'master' | 'worker' | 'fuse') => podOf(input, role).containers[0];
export const envOf = ({ env }: Container): Record<string, string | undefined> =>
  Object.fromEntries(env.map(({ name, value }) => [name, value]));
