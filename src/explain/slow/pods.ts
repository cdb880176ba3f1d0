import type { PodSpec, PodStatus } from '../../api/index.ts';
import { quantity } from '../../api/index.ts';
import type { CountingPod, Role } from '../../constructs/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { isReady } from '../../planning/unstarted.ts';
import type { CpuPeriods, SampledPod } from './evidence.ts';

/** A pod of a runtime, as far as a diagnosis asks it. */
export interface AskedPod extends CountingPod {
  readonly namespace: string;
  readonly name: string;
  readonly node?: string;
  readonly isReady: boolean;
  /** Name of the first container. */
  readonly container: string;
  /** Limits of containers, by their names. */
  readonly limits: Readonly<Record<string, SampledPod['limits']>>;
}

export function askedPod({ metadata, spec, status }: KubeObject, role: Role): AskedPod {
  const { nodeName, containers = [] } = (spec ?? {}) as Partial<PodSpec>;
  const ports = containers
    .flatMap(({ ports: own = [] }) => own)
    .flatMap(({ name, containerPort }) => (isPort(name, containerPort) ? [[name, containerPort] as const] : []));
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    role,
    ...(nodeName !== undefined && { node: nodeName }),
    isReady: isReady((status ?? {}) as PodStatus) && metadata.deletionTimestamp === undefined,
    container: containers[0]?.name ?? '',
    ports: Object.fromEntries(ports),
    limits: Object.fromEntries(containers.map(({ name, resources }) => [name, limitsOf(resources?.limits)])),
  };
}

/** A port goes into a script: it is a number, whatever a server answers. */
const isPort = (name: unknown, port: unknown): boolean =>
  typeof name === 'string' && Number.isInteger(port) && Number(port) > 0 && Number(port) < 2 ** 16;

function limitsOf({ cpu, memory }: Readonly<Record<string, string>> = {}): SampledPod['limits'] {
  const [cores, bytes] = [amountOf(cpu), amountOf(memory)];
  return { ...(cores !== undefined && { cpu: cores }), ...(bytes !== undefined && { memory: bytes }) };
}
function amountOf(text: string | undefined): number | undefined {
  try {
    return text === undefined ? undefined : quantity(text, 'limits');
  } catch {
    return undefined;
  }
}

/**
 * Prints the counters of the container's CPU limit. A container that is privileged sees the cgroups of its node, and finds its own by
 * /proc/self/cgroup; others have their own at the root. The last line is for the first version of cgroups.
 */
const SCRIPT = `while IFS=: read -r _ controllers path; do
  [ -z "$controllers" ] || continue
  for file in "/sys/fs/cgroup$path/cpu.stat" /sys/fs/cgroup/cpu.stat; do
    grep -q nr_periods "$file" 2> /dev/null && exec cat "$file"
  done
done < /proc/self/cgroup
exec cat /sys/fs/cgroup/cpu/cpu.stat`;
export const CPU_COMMAND = ['sh', '-c', SCRIPT] as const;

/** @throws Error if the answer has no periods. */
export function cpuPeriods(answer: string): CpuPeriods {
  const [, periods] = /^nr_periods (\d{1,15})$/m.exec(answer) ?? [];
  const [, throttled] = /^nr_throttled (\d{1,15})$/m.exec(answer) ?? [];
  if (periods === undefined || throttled === undefined) throw new Error('cpu.stat has no periods');
  return { periods: Number(periods), throttled: Number(throttled) };
}
