import type { k8s } from '../api/index.ts';
import { isRecord } from '../api/is-record.ts';
import { inRegistry, namesHost } from '../constructs/default-image.ts';
import { lastOnNode } from '../constructs/pod.ts';
import { DATASET_METRICS } from '../api/metrics/dataset.ts';
import { DEFAULT_NAMESPACE } from './fluid.ts';
import type { InstallOptions } from './options.ts';

/** Where `sluice image` puts the module of further runtimes. */
export const CONFIG_IN_IMAGE = '/etc/sluice/sluice.config.mjs';

/** Fields that Pod Security `restricted` asks for, with a user that no node has. */
const UNPRIVILEGED = { runAsNonRoot: true, runAsUser: 65_532, runAsGroup: 65_532, seccompProfile: { type: 'RuntimeDefault' } };
const NO_RIGHTS = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true };

/** The values that count where none is given. `image` is that of the version. */
export const DEFAULTS = {
  namespace: DEFAULT_NAMESPACE,
  imagePullPolicy: 'IfNotPresent',
  imagePullSecrets: [],
  mountRoot: '/runtime-mnt',
  kubeletDir: '/var/lib/kubelet',
  podLogsDir: '/var/log/pods',
  criticalFusePods: true,
  aggregateEdit: false,
  daemons: [],
  nodePolicy: true,
  reservedKeysAllow: [],
  // No limit on CPU: throttling is what makes a lease late.
  controller: {
    // A class of Kubernetes: every tenant's pods could use one that Sluice created.
    priorityClassName: 'system-cluster-critical',
    podSecurityContext: UNPRIVILEGED,
    containerSecurityContext: NO_RIGHTS,
    podDisruptionBudget: true,
    replicas: 2,
    openReferences: false,
    datasetMetrics: DATASET_METRICS,
    // Enough for 20,000 Datasets; docs/installing.md says what more of them need.
    resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
  },
  csi: {
    // As the fuse pods: without it no pod of the node gets its data, so the kubelet evicts it last.
    priorityClassName: 'system-node-critical',
    containerSecurityContext: { readOnlyRootFilesystem: true },
    resources: { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '256Mi' } },
    // A pod may need its data on any node that it can run on, but those without a kubelet of their own.
    tolerations: [{ operator: 'Exists' }],
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    podAnnotations: lastOnNode,
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'type', operator: 'NotIn', values: ['virtual-kubelet'] }] }],
        },
      },
    },
  },
  webhook: {
    enabled: true,
    priorityClassName: 'system-cluster-critical',
    podSecurityContext: UNPRIVILEGED,
    containerSecurityContext: NO_RIGHTS,
    podDisruptionBudget: true,
    replicas: 2,
    failurePolicy: 'Fail',
    timeoutSeconds: 15,
    reinvocationPolicy: 'IfNeeded',
    validation: false,
    // No limit on CPU: pods that are created wait for it.
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '384Mi' } },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
  },
  ui: {
    enabled: false,
    podSecurityContext: UNPRIVILEGED,
    containerSecurityContext: NO_RIGHTS,
    // Enough for 20,000 Datasets.
    resources: { requests: { cpu: '20m', memory: '192Mi' }, limits: { memory: '512Mi' } },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
  },
  // The label of the sidecar in Grafana's chart.
  monitoring: { enabled: false, interval: '30s', boardLabels: { grafana_dashboard: '1' } },
} satisfies InstallOptions;

/** The options with every default filled in. */
export interface Settled {
  readonly namespace: string;
  readonly registry?: string;
  readonly image: string;
  readonly imagePullPolicy: string;
  readonly imagePullSecrets: readonly k8s.LocalObjectReference[];
  readonly mountRoot: string;
  readonly kubeletDir: string;
  readonly podLogsDir: string;
  readonly criticalFusePods: boolean;
  readonly aggregateEdit: boolean;
  readonly daemons: readonly string[];
  readonly nodePolicy: boolean;
  readonly reservedKeys?: 'audit' | 'deny';
  readonly reservedKeysAllow: readonly string[];
  /** Texts of the controller's variables: of them, runtimes read those that they declare. */
  readonly controllerEnv: Readonly<Record<string, string>>;
  /** Arguments by which controller and webhook load the runtimes that the image has beside Sluice's own. */
  readonly configArgs: readonly string[];
  readonly controller: NonNullable<InstallOptions['controller']> & {
    readonly podDisruptionBudget: boolean;
    readonly replicas: number;
    readonly openReferences: boolean;
    readonly datasetMetrics: number;
  };
  readonly csi: NonNullable<InstallOptions['csi']>;
  readonly webhook: NonNullable<InstallOptions['webhook']> & {
    readonly podDisruptionBudget: boolean;
    readonly enabled: boolean;
    readonly replicas: number;
    readonly failurePolicy: 'Fail' | 'Ignore';
    readonly timeoutSeconds: number;
    readonly reinvocationPolicy: 'Never' | 'IfNeeded';
    readonly validation: boolean;
    readonly platformLabel?: string;
  };
  readonly ui: NonNullable<InstallOptions['ui']> & { readonly enabled: boolean };
  readonly monitoring: NonNullable<InstallOptions['monitoring']> & { readonly enabled: boolean; readonly interval: string };
}

/** The options, without what is found from them. */
export type CompleteOptions = Omit<Settled, 'configArgs' | 'controllerEnv'>;

/**
 * Fills in defaults as helm does: maps by key, `null` removes a map or a list of the defaults, and everything else takes their place. `image`
 * is the image of this version of the package; with further runtimes, it is one that has their module.
 */
export const settled = (options: InstallOptions, image: string, { furtherRuntimes = false } = {}): Settled =>
  // The cast: DEFAULTS has what InstallOptions may omit.
  complete(merged({ image, ...DEFAULTS }, options) as unknown as CompleteOptions, furtherRuntimes);

/** The same of options that need no defaults. */
export const complete = (options: CompleteOptions, furtherRuntimes: boolean): Settled => ({
  ...options,
  image: namesHost(options.image) ? options.image : inRegistry(options.image, options.registry),
  configArgs: furtherRuntimes ? ['--config', CONFIG_IN_IMAGE] : [],
  controllerEnv: Object.fromEntries((options.controller.env ?? []).flatMap(({ name, value }) => (value ? [[name, value]] : []))),
});

type Values = Readonly<Record<string, unknown>>;

/** @param depth 0 of all values, 1 of a part's, which both need every default that is no map or list */
function merged(before: Values, after: Values, depth = 0): Values {
  const all: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(after)) {
    const theirs = before[key];
    const isNeeded = theirs !== undefined && (depth === 0 || (depth === 1 && typeof theirs !== 'object'));
    if (value !== null && value !== undefined) all[key] = isRecord(value) && isRecord(theirs) ? merged(theirs, value, depth + 1) : value;
    else if (!isNeeded) delete all[key];
  }
  return all;
}
