import type { Construct } from 'constructs';
import type { EnvVar } from '../api/index.ts';
import { PlainObject } from '../constructs/index.ts';
import { labels, type InstalledPart, selector } from './labels.ts';
import type { Settled } from './settled.ts';

export interface ReplicasProps {
  /** The name of the Deployment and of its ServiceAccount. */
  readonly name: string;
  readonly part: InstalledPart;
  readonly component: Omit<Settled['controller'], 'openReferences' | 'datasetMetrics'>;
  /** Named after the part. */
  readonly container: { readonly args: readonly string[]; readonly env: readonly object[] | undefined };
  /** Ports beside `metrics`, of which the probes are. */
  readonly ports?: readonly object[];
}

/** A Deployment of a program without any privilege, and its PodDisruptionBudget. */
export function replicas(scope: Construct, options: Settled, props: ReplicasProps): void {
  const { name, part, component } = props;
  const metadata = { name, namespace: options.namespace, labels: labels(part) };
  const matchLabels = selector(part);
  if (component.podDisruptionBudget)
    new PlainObject(scope, 'disruption', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      // Not minAvailable: with one replica that would block every drain for ever.
      spec: { maxUnavailable: 1, selector: { matchLabels }, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    });
  new PlainObject(scope, 'deployment', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: component.replicas,
      selector: { matchLabels },
      strategy: component.updateStrategy ?? { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: { metadata: podMetadata(part, component), spec: podSpec(options, props) },
    },
  });
}

/** Labels by which Sluice selects its pods win. */
export const podMetadata = (part: InstalledPart, { podLabels, podAnnotations }: Pick<Settled['csi'], 'podLabels' | 'podAnnotations'>) => ({
  labels: { ...podLabels, ...labels(part) },
  ...(podAnnotations && { annotations: podAnnotations }),
});

function podSpec({ image, imagePullPolicy, imagePullSecrets }: Settled, { name, part, component, container, ports = [] }: ReplicasProps) {
  return {
    serviceAccountName: name,
    automountServiceAccountToken: true,
    ...(component.priorityClassName && { priorityClassName: component.priorityClassName }),
    ...(component.affinity && { affinity: component.affinity }),
    ...(component.podSecurityContext && { securityContext: component.podSecurityContext }),
    nodeSelector: component.nodeSelector,
    ...(component.tolerations && { tolerations: component.tolerations }),
    ...(imagePullSecrets.length > 0 && { imagePullSecrets }),
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: selector(part) },
      },
    ],
    containers: [
      {
        name: part,
        image,
        imagePullPolicy,
        ...container,
        ports: [...ports, { name: 'metrics', containerPort: 8080, protocol: 'TCP' }],
        livenessProbe: { httpGet: { path: '/healthz', port: 'metrics' }, periodSeconds: 10, failureThreshold: 3 },
        readinessProbe: { httpGet: { path: '/readyz', port: 'metrics' }, periodSeconds: 5 },
        // Until the first answer: a slow node is no reason for a restart.
        startupProbe: { httpGet: { path: '/healthz', port: 'metrics' }, periodSeconds: 2, failureThreshold: 60 },
        resources: component.resources,
        securityContext: component.containerSecurityContext,
        terminationMessagePolicy: 'FallbackToLogsOnError',
      },
    ],
  };
}

/** An environment variable with a field of the pod. */
export const fieldEnv = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } });

/** The variables of a container: an operator's own take the place of ours, and may refer to them. */
export const environment = (ours: readonly EnvVar[], own: readonly EnvVar[] = []): readonly EnvVar[] => {
  const names = new Set(own.map(({ name }) => name));
  return [...ours.filter(({ name }) => !names.has(name)), ...own];
};
