import type { Affinity, Container, PodTemplateSpec } from '../api/index.ts';
import { canonicalPod } from './canonical.ts';
import { overlaid, overlaidResources, portKey } from './merge.ts';
import type { BasePlan, ComponentProps, ContainerProps } from './contract.ts';

/**
 * The annotation of pods of DaemonSets that serve the other pods of their node: cluster-autoscaler does not evict them from a node that it
 * empties, where applications still read and write at their end.
 * https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md
 */
export const lastOnNode = { 'cluster-autoscaler.kubernetes.io/enable-ds-eviction': 'false' } as const;

/** The spec of a component's pods: the user's template, if the component has one, with the runtime's props over it. */
export function podSpec(plan: BasePlan, props: ComponentProps): object {
  const {
    template,
    podLabels: _l,
    podAnnotations: _a,
    serviceName: _n,
    volumeClaimTemplates: _c,
    sidecar: _s,
    containers,
    initContainers,
    ...said
  } = props;
  const base: Partial<NonNullable<PodTemplateSpec['spec']>> = template?.spec ?? {};
  const hostNetwork = said.hostNetwork ?? base.hostNetwork ?? false;
  const pullSecrets = overlaid(({ name }) => name, base.imagePullSecrets, said.imagePullSecrets);
  return canonicalPod(
    {
      ...base,
      ...defined(said),
      initContainers: joined(base.initContainers, initContainers),
      containers: joined(
        base.containers,
        containers.map((container) => ({ imagePullPolicy: 'IfNotPresent', resources: {}, ...defined(container) })),
      ),
      volumes: [...(base.volumes ?? []), ...(said.volumes ?? [])],
      nodeSelector: { ...base.nodeSelector, ...said.nodeSelector },
      tolerations: [...(base.tolerations ?? []), ...(said.tolerations ?? [])],
      affinity: mergedAffinity(base.affinity, said.affinity),
      hostNetwork: hostNetwork || undefined,
      dnsPolicy: said.dnsPolicy || base.dnsPolicy || (hostNetwork ? 'ClusterFirstWithHostNet' : 'ClusterFirst'),
      imagePullSecrets: pullSecrets.length > 0 ? pullSecrets : plan.imagePullSecrets.map((name) => ({ name })),
    },
    'spec.template.spec',
  );
}

/** The template's containers in their order, each merged with the props of its name; then the other containers. */
function joined(base: readonly Container[] = [], said: readonly ContainerProps[] = []): readonly ContainerProps[] {
  const own = said.map(withPrivileges);
  const others = own.filter(({ name }) => !base.some((container) => container.name === name));
  return [
    ...base.map((container) => {
      const more = own.find(({ name }) => name === container.name);
      return more ? merged(container, more) : container;
    }),
    ...others,
  ];
}

function merged(base: Container, said: ContainerProps): ContainerProps {
  const { resources = {}, imagePullPolicy, ...more } = said;
  return {
    ...base,
    ...more,
    // Defaults of every container have effect only if the template has no value.
    imagePullPolicy: base.imagePullPolicy ?? imagePullPolicy,
    resources: overlaidResources(base.resources, resources),
    env: [...(base.env ?? []), ...(said.env ?? [])],
    envFrom: [...(base.envFrom ?? []), ...(said.envFrom ?? [])],
    ports: overlaid(portKey, base.ports, said.ports),
    volumeMounts: [...(base.volumeMounts ?? []), ...(said.volumeMounts ?? [])],
  };
}

const withPrivileges = (container: ContainerProps): ContainerProps =>
  container.fuseClient ? { ...container, securityContext: { privileged: true, runAsUser: 0, ...container.securityContext } } : container;

/** An affinity that demands what both demand, and prefers what each prefers. */
export function mergedAffinity(a: Affinity | undefined, b: Affinity | undefined): Affinity | undefined {
  if (!a || !b) return a ?? b;
  const both = <T extends 'podAffinity' | 'podAntiAffinity'>(kind: T): Affinity => {
    const [one, other] = [a[kind], b[kind]];
    if (!one || !other) return { ...((one ?? other) && { [kind]: one ?? other }) };
    return {
      [kind]: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          ...(one.requiredDuringSchedulingIgnoredDuringExecution ?? []),
          ...(other.requiredDuringSchedulingIgnoredDuringExecution ?? []),
        ],
        preferredDuringSchedulingIgnoredDuringExecution: [
          ...(one.preferredDuringSchedulingIgnoredDuringExecution ?? []),
          ...(other.preferredDuringSchedulingIgnoredDuringExecution ?? []),
        ],
      },
    };
  };
  return { ...nodeAffinity(a.nodeAffinity, b.nodeAffinity), ...both('podAffinity'), ...both('podAntiAffinity') };
}

function nodeAffinity(a: Affinity['nodeAffinity'], b: Affinity['nodeAffinity']): Affinity {
  if (!a || !b) return { ...((a ?? b) && { nodeAffinity: (a ?? b)! }) };
  const [one, other] = [a, b].map((each) => each.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms);
  // A node must meet one term of each: so every pair of terms is one term.
  const terms =
    one && other
      ? one.flatMap((x) =>
          other.map((y) => ({
            matchExpressions: [...(x.matchExpressions ?? []), ...(y.matchExpressions ?? [])],
            matchFields: [...(x.matchFields ?? []), ...(y.matchFields ?? [])],
          })),
        )
      : (one ?? other);
  return {
    nodeAffinity: {
      ...(terms && { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } }),
      preferredDuringSchedulingIgnoredDuringExecution: [
        ...(a.preferredDuringSchedulingIgnoredDuringExecution ?? []),
        ...(b.preferredDuringSchedulingIgnoredDuringExecution ?? []),
      ],
    },
  };
}

/** Fields that have a value: `undefined` overrides nothing, and neither does an empty pull policy. */
function defined<T extends object>(said: T): T {
  const result: Partial<T> = {};
  for (const field in said)
    if (said[field] !== undefined && !(field === 'imagePullPolicy' && said[field] === '')) result[field] = said[field];
  return result as T;
}
