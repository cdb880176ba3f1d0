import type { BoundRuntime, CountingPod, Role, Runtime, RuntimeInput } from '../../constructs/index.ts';
import { isTellable, SAID } from './commands.ts';
import { isWorkload, type WorkloadSpec } from './pods.ts';

const ROLES: readonly Role[] = ['master', 'worker', 'fuse'];

/**
 * Faults of a diagnosis, one line each: commands for containers that do not exist, counters that are no numbers, options whose fields no user
 * has. The engine is the plan's.
 */
export function diagnosisFaults(runtime: Runtime, bound: BoundRuntime, { spec, dataset }: RuntimeInput<unknown>): readonly string[] {
  const diagnosis = runtime.diagnosis(bound.plan.engine);
  if (!diagnosis) return [];
  const { counters, chosen, cache } = diagnosis;
  const specs = { spec, dataset: dataset.spec };
  const setting = cache(specs);
  return [
    ...(bound.known.includes(setting.in) ? [] : [`diagnosis.cache: expected a workload that exists, found ${setting.in}`]),
    ...fieldFaults('diagnosis.cache', setting.field),
    ...(chosen?.(specs) ?? []).flatMap(({ field }) => fieldFaults('diagnosis.chosen', field)),
    ...(counters ? ROLES.filter((role) => bound.roles.includes(role)).flatMap((role) => counterFaults(counters, podOf(bound, role))) : []),
  ];
}

const fieldFaults = (what: string, field: string): readonly string[] =>
  /^(?:Dataset )?spec\./.test(field) ? [] : [`${what}: expected a field of the runtime or the Dataset, such as spec.fuse, found ${field}`];

interface Pod extends CountingPod {
  readonly containers: readonly string[];
}
function podOf({ synth }: BoundRuntime, role: Role): Pod {
  const all = synth(role)
    .filter(isWorkload)
    .flatMap((workload) => (workload['spec'] as WorkloadSpec).template.spec.containers);
  const ports = all
    .flatMap(({ ports: own = [] }) => own)
    .flatMap(({ name, containerPort }) => (name ? [[name, containerPort] as const] : []));
  return { role, ports: Object.fromEntries(ports), containers: all.map(({ name }) => name) };
}

function counterFaults(
  { command, parse }: NonNullable<ReturnType<Runtime['diagnosis']>>['counters'] & object,
  { containers, ...pod }: Pod,
): readonly string[] {
  const asked = command(pod);
  if (!asked) return [];
  const what = `diagnosis.counters in ${pod.role}`;
  const { container, argv } = asked;
  return [
    ...(container === undefined || containers.includes(container) ? [] : [`${what}: no container is called ${container}`]),
    ...(argv.length > 0 ? [] : [`${what}: expected a program and its arguments`]),
    ...SAID.flatMap((answer) => {
      try {
        return isTellable(parse(answer, pod)) ? [] : [`${what}: ${JSON.stringify(answer)} is read with a number that is none`];
      } catch (error) {
        return error instanceof TypeError || error instanceof RangeError
          ? [`${what}: ${JSON.stringify(answer)} ends in ${error.message}`]
          : [];
      }
    }),
  ];
}
