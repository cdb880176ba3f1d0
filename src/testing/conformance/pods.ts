import type { Container, Manifest, PodSpec } from '../../api/index.ts';
import type { BoundRuntime } from '../../constructs/index.ts';

/** Each function returns faults, one line each. */

export interface WorkloadSpec {
  readonly template: { readonly spec: PodSpec };
  readonly volumeClaimTemplates?: readonly { readonly metadata?: { readonly name?: string } }[];
}
export const isWorkload = ({ kind }: Manifest): boolean => kind === 'DaemonSet' || kind === 'StatefulSet';
/** The Job spec of a Job or of a CronJob. */
export function jobOf({ kind, spec }: Manifest): WorkloadSpec | undefined {
  if (kind === 'Job') return spec as WorkloadSpec;
  return kind === 'CronJob' ? (spec as { readonly jobTemplate: { readonly spec: WorkloadSpec } }).jobTemplate.spec : undefined;
}
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const PORT_NAME = /^(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/;

/** Names that the API server would reject, invalid ports, and mounts of volumes that do not exist. */
export function podFaults(manifests: readonly Manifest[]): readonly string[] {
  return manifests.flatMap((manifest) => {
    const work = isWorkload(manifest) ? (manifest['spec'] as WorkloadSpec) : jobOf(manifest);
    const faults = work ? faultsOfPods(work) : manifest.kind === 'Service' ? servicePorts(manifest) : [];
    return faults.map((fault) => `${manifest.kind}/${manifest.metadata.name}: ${fault}`);
  });
}

function faultsOfPods({ template, volumeClaimTemplates = [] }: WorkloadSpec): readonly string[] {
  const { containers, initContainers = [], volumes = [] } = template.spec;
  const known = new Set([...volumes.map(({ name }) => name), ...volumeClaimTemplates.map(({ metadata }) => metadata?.name)]);
  return [
    ...volumes.filter(({ name }) => !LABEL.test(name)).map(({ name }) => `no volume can be called ${name}`),
    ...[...initContainers, ...containers].flatMap((container) => containerFaults(container, known)),
  ];
}

function containerFaults(
  { name, image, ports = [], volumeMounts = [] }: Container,
  volumes: ReadonlySet<string | undefined>,
): readonly string[] {
  return [
    ...(LABEL.test(name) ? [] : [`no container can be called ${name}`]),
    ...(image ? [] : [`container ${name} has no image`]),
    ...ports
      .filter(({ containerPort }) => !isPort(containerPort))
      .map(({ containerPort }) => `container ${name} has port ${containerPort}`),
    ...ports.flatMap((port) => (port.name === undefined || PORT_NAME.test(port.name) ? [] : [`no port can be called ${port.name}`])),
    ...volumeMounts
      .filter((mount) => !volumes.has(mount.name))
      .map((mount) => `container ${name} mounts ${mount.name}, which is no volume`),
    ...volumeMounts
      .filter(({ mountPath }) => !mountPath.startsWith('/'))
      .map(({ mountPath }) => `container ${name} mounts at ${mountPath}`),
  ];
}
const isPort = (port: unknown): boolean => Number.isInteger(port) && Number(port) > 0 && Number(port) < 2 ** 16;
const servicePorts = (manifest: Manifest): readonly string[] =>
  ((manifest['spec'] as { ports?: readonly { port: number }[] }).ports ?? []).flatMap(({ port }) => (isPort(port) ? [] : [`port ${port}`]));

/** Each role renders its workload under the name that the kind gives it: everything else looks for that name. */
export const workloadFaults = ({ plan, roles, synth }: BoundRuntime): readonly string[] =>
  roles.flatMap((role) => {
    const names = synth(role)
      .filter(isWorkload)
      .map(({ metadata }) => metadata.name);
    return names.length === 1 && names[0] === plan.workloads[role]
      ? []
      : [`${role}: expected one workload, ${plan.workloads[role]}, found ${names.join(', ') || 'none'}`];
  });

/** Containers of the pods of each role. */
export function containersOf({ roles, synth }: BoundRuntime): ReadonlyMap<string, readonly string[]> {
  return new Map(
    roles.map((role) => [
      role,
      synth(role)
        .filter(isWorkload)
        .flatMap((workload) => (workload['spec'] as WorkloadSpec).template.spec.containers.map(({ name }) => name)),
    ]),
  );
}
