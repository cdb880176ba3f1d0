import { fields, k8s, opt, type Static, t } from '../api/index.ts';
import { namespacePattern } from '../api/metadata.ts';
import { stringMap } from '../api/schema.ts';
import { inRegistry, namesHost, registryPattern } from '../constructs/default-image.ts';
import { lastOnNode } from '../constructs/pod.ts';
import { DEFAULT_NAMESPACE } from './fluid.ts';

/** The rule of `mountRootOf`, which a test compares with this one. With a root that breaks it Fluid silently mounts below `/`. */
const MOUNT_ROOT = '^(/[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?)+$';
const ABSOLUTE = '^(/[A-Za-z0-9_-]+([.][A-Za-z0-9_-]+)*)+$';

/** Enough to find a variable of a script that was not set. */
const IMAGE = '^[A-Za-z0-9][A-Za-z0-9._:/@-]*$';
/** Empty: the default of the cluster. */
const PRIORITY_CLASS = '^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$';
const LABEL_KEY = '^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$';

/** As a token or a certificate names them: `system:serviceaccount:velero:velero`. */
const USER = '^[!-~]([ -~]{0,252}[!-~])?$';

const component = {
  resources: opt(fields.resources),
  tolerations: opt(fields.tolerations),
  nodeSelector: opt(fields.nodeSelector),
  env: opt(fields.env),
  args: opt(t.Array(t.String(), { description: 'Further arguments of the command.' })),
  affinity: opt(k8s.Affinity),
  podLabels: opt(stringMap('Labels of the pods. Those that Sluice selects its pods by stay.')),
  podAnnotations: opt(stringMap('Annotations of the pods.')),
  priorityClassName: opt(
    t.String({
      description: 'Priority class of the pods; default system-node-critical for the node plugin, else system-cluster-critical.',
      pattern: PRIORITY_CLASS,
    }),
  ),
};

/** The options of an installation, and the schema of the file of `sluice install --values`. */
export const InstallOptions = t.Object({
  namespace: opt(t.String({ description: 'Namespace of all parts; default fluid-system.', pattern: namespacePattern })),
  registry: opt(
    t.String({
      description:
        'Registry of all default images, of runtimes and of Sluice, in place of their own; paths and tags stay. Default: that of each image.',
      pattern: registryPattern,
    }),
  ),
  image: opt(t.String({ description: 'The one image of Sluice; without a host, it is in `registry`.', pattern: IMAGE })),
  imagePullPolicy: opt(t.Enum(['Always', 'IfNotPresent', 'Never'])),
  imagePullSecrets: opt(t.Array(k8s.LocalObjectReference)),
  mountRoot: opt(t.String({ description: 'Host directory of all FUSE mounts; default /runtime-mnt.', pattern: MOUNT_ROOT })),
  kubeletDir: opt(t.String({ description: "The kubelet's root directory on the nodes; default /var/lib/kubelet.", pattern: ABSOLUTE })),
  podLogsDir: opt(t.String({ description: "The kubelet's podLogsDir on the nodes; default /var/log/pods.", pattern: ABSOLUTE })),
  criticalFusePods: opt(
    t.Boolean({
      description:
        'Whether fuse pods, in namespaces of users, are system-node-critical: CRITICAL_FUSE_POD; default true. A cluster that guards this class needs false, or a quota in each such namespace.',
    }),
  ),
  aggregateEdit: opt(
    t.Boolean({
      description:
        'Whether all who may edit a namespace may write Datasets, runtimes and operations there; default false. Who writes a runtime chooses the image of a privileged pod, and directories of nodes.',
    }),
  ),
  daemons: opt(
    t.Array(t.String(), {
      description: 'Types of runtimes whose daemons on the nodes are installed: efc, for its session manager. Default: none.',
    }),
  ),
  nodePolicy: opt(
    t.Boolean({ description: 'Whether an admission policy restricts the node plugin to its own node (Kubernetes 1.30); default true.' }),
  ),
  reservedKeys: opt(
    t.Enum(['audit', 'deny'], {
      description:
        'Whether an admission policy reports or refuses keys of Sluice on workloads and volumes that others write (Kubernetes 1.30); default: none.',
    }),
  ),
  reservedKeysAllow: opt(
    t.Array(t.String({ pattern: USER }), {
      description:
        'Names of users that may write these keys too: restore tools, controllers of Fluid, a controller outside of the cluster.',
    }),
  ),
  controller: opt(
    t.Object({
      replicas: opt(t.Integer({ minimum: 1, description: 'Replicas, of which one leads; default 2.' })),
      openReferences: opt(
        t.Boolean({ description: 'Whether a Dataset may refer to any Dataset of any namespace, as in Fluid; default false.' }),
      ),
      ...component,
    }),
  ),
  csi: opt(t.Object(component)),
  webhook: opt(
    t.Object({
      enabled: opt(t.Boolean({ description: 'Whether the admission webhook is installed; default true.' })),
      replicas: opt(t.Integer({ minimum: 1, description: 'Replicas, all of which serve; default 2.' })),
      failurePolicy: opt(
        t.Enum(['Fail', 'Ignore'], {
          description: 'What becomes of a pod that asks for a sidecar while no replica answers; default Fail, which rejects the pod.',
        }),
      ),
      timeoutSeconds: opt(t.Integer({ minimum: 1, maximum: 30, description: 'How long the API server waits for an answer; default 15.' })),
      reinvocationPolicy: opt(t.Enum(['Never', 'IfNeeded'])),
      validation: opt(
        t.Boolean({
          description:
            'Whether the API server asks the webhook about Datasets, runtimes and operations that are written, too; default false. Faults are refused as `sluice diff --offline` prints them.',
        }),
      ),
      platformLabel: opt(
        t.String({
          description: 'Key of a label that asks for sidecars, and whose value names their platform: KEY_SERVERLESS_PLATFORM.',
          pattern: LABEL_KEY,
        }),
      ),
      ...component,
    }),
  ),
});
export type InstallOptions = Static<typeof InstallOptions>;

/** Where `sluice image` puts the module of further runtimes. */
export const CONFIG_IN_IMAGE = '/etc/sluice/sluice.config.mjs';

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
    replicas: 2,
    openReferences: false,
    // Enough for 20,000 Datasets; docs/installing.md says what more of them need.
    resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
  },
  csi: {
    // As the fuse pods: without it no pod of the node gets its data, so the kubelet evicts it last.
    priorityClassName: 'system-node-critical',
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
    replicas: 2,
    failurePolicy: 'Fail',
    timeoutSeconds: 15,
    reinvocationPolicy: 'IfNeeded',
    validation: false,
    // No limit on CPU: pods that are created wait for it.
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '384Mi' } },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
  },
} as const satisfies InstallOptions;

type Component = NonNullable<InstallOptions['csi']>;
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
  /** Variables of the controller, of those that runtimes read: images of daemons, and what the webhook judges by. */
  readonly runtimeEnv: Readonly<Record<string, string>>;
  /** Arguments by which controller and webhook load the runtimes that the image has beside Sluice's own. */
  readonly configArgs: readonly string[];
  readonly controller: Component & { readonly replicas: number; readonly openReferences: boolean };
  readonly csi: Component;
  readonly webhook: Component & {
    readonly enabled: boolean;
    readonly replicas: number;
    readonly failurePolicy: 'Fail' | 'Ignore';
    readonly timeoutSeconds: number;
    readonly reinvocationPolicy: 'Never' | 'IfNeeded';
    readonly validation: boolean;
    readonly platformLabel?: string;
  };
}

/** The options, without what is found from them. */
export type CompleteOptions = Omit<Settled, 'configArgs' | 'runtimeEnv'>;

/**
 * Fills in defaults as helm does: maps by key, `null` removes a map or a list of the defaults, and everything else takes their place. `image` is the image of this
 * version of the package; with further runtimes, it is one that has their module.
 */
export const settled = (options: InstallOptions, image: string, { furtherRuntimes = false } = {}): Settled =>
  // The cast: DEFAULTS has what InstallOptions may omit.
  complete(merged({ image, ...DEFAULTS }, options) as unknown as CompleteOptions, furtherRuntimes);

/** The same of options that need no defaults. */
export const complete = (options: CompleteOptions, furtherRuntimes: boolean): Settled => ({
  ...options,
  image: namesHost(options.image) ? options.image : inRegistry(options.image, options.registry),
  configArgs: furtherRuntimes ? ['--config', CONFIG_IN_IMAGE] : [],
  runtimeEnv: Object.fromEntries((options.controller.env ?? []).flatMap(({ name, value }) => (value ? [[name, value]] : []))),
});

type Values = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param depth 0 of all values, 1 of a part's, which both need every default that is no map or list */
function merged(before: Values, after: Values, depth = 0): Values {
  const all: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(after)) {
    const theirs = before[key];
    const isNeeded = theirs !== undefined && (depth === 0 || (depth === 1 && typeof theirs !== 'object'));
    if (value !== null && value !== undefined) all[key] = isMap(value) && isMap(theirs) ? merged(theirs, value, depth + 1) : value;
    else if (!isNeeded) delete all[key];
  }
  return all;
}
