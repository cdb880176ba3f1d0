import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import alluxio from '../../../runtimes/alluxio/index.ts';
import type { AlluxioPlan } from '../../../runtimes/alluxio/plan.ts';
import type { AlluxioRuntimeSpec } from '../../../runtimes/alluxio/spec.ts';
import type { EncryptOption, Mount } from '../../../src/api/index.ts';
import type { RuntimeInput } from '../../../src/constructs/index.ts';
import { type Given, planInput } from '../../../src/testing/given.ts';

/** Outputs and answers of a real Alluxio; record.ts has the questions. */
export const recorded = (file: string): string => readFileSync(join(import.meta.dirname, 'fixtures', file), 'utf8');

export const PORTS = {
  masterRpc: 20001,
  masterWeb: 20002,
  jobMasterRpc: 20003,
  jobMasterWeb: 20004,
  workerRpc: 20005,
  workerWeb: 20006,
  jobWorkerRpc: 20007,
  jobWorkerData: 20008,
  jobWorkerWeb: 20009,
  gateway: 20010,
  masterJournal: 20011,
  jobMasterJournal: 20012,
};

export const secret = (name: string, key: string = name, from: string = 's3'): EncryptOption => ({
  name,
  valueFrom: { secretKeyRef: { name: from, key } },
});

export const bucket: Mount = { mountPoint: 's3://bucket/data', name: 'data' };

/** A bucket for dataset `ml/demo`, on the node's network. */
export const given = ({ facts, mounts = [bucket], ...rest }: Given<AlluxioRuntimeSpec> = {}): RuntimeInput<AlluxioRuntimeSpec> =>
  planInput({ ...rest, mounts, facts: { ports: PORTS, ...facts } });

export const planOf = (input: RuntimeInput<AlluxioRuntimeSpec>): AlluxioPlan => alluxio.bind(input).plan as AlluxioPlan;

/** `-D` of a component, by key; the later of two counts. */
export const propertiesOf = (input: RuntimeInput<AlluxioRuntimeSpec>, variable: string = 'ALLUXIO_JAVA_OPTS'): Record<string, string> =>
  Object.fromEntries(
    (planOf(input).environment[variable] ?? '')
      .split(' ')
      .filter((option) => option.startsWith('-D'))
      .map((option) => [option.slice(2, option.indexOf('=')), option.slice(option.indexOf('=') + 1)]),
  );

interface Workload {
  readonly spec: { readonly template: { readonly spec: Pod } };
}
interface Pod {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly { readonly name: string }[];
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: object;
}
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: { readonly limits?: Record<string, string>; readonly requests?: Record<string, string> };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly readinessProbe?: object;
}

export function podOf(input: RuntimeInput<AlluxioRuntimeSpec>, role: 'master' | 'worker' | 'fuse'): Pod {
  const workload = alluxio
    .bind(input)
    .synth(role)
    .find(({ kind }) => kind === 'StatefulSet' || kind === 'DaemonSet');
  return (workload as unknown as Workload).spec.template.spec;
}

export function container(input: RuntimeInput<AlluxioRuntimeSpec>, role: 'master' | 'worker' | 'fuse', name: string): Container {
  const found = podOf(input, role).containers.find((each) => each.name === name);
  if (!found) throw new Error(`no container ${name}`);
  return found;
}
