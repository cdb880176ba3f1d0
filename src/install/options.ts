import { fields, k8s, opt, type Static, t } from '../api/index.ts';
import { namespacePattern } from '../api/metadata.ts';
import { described, stringMap } from '../api/schema.ts';
import { registryPattern } from '../constructs/default-image.ts';

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

const pods = {
  resources: opt(fields.resources),
  tolerations: opt(fields.tolerations),
  nodeSelector: opt(fields.nodeSelector),
  env: opt(fields.env),
  args: opt(t.Array(t.String(), { description: 'Further arguments of the command.' })),
  affinity: opt(described(k8s.Affinity, 'Nodes and other pods that the pods prefer, need or avoid.')),
  podLabels: opt(stringMap('Labels of the pods. Those that Sluice selects its pods by stay.')),
  podAnnotations: opt(stringMap('Annotations of the pods.')),
  podSecurityContext: opt(
    described(k8s.PodSecurityContext, 'Security context of the pods; fields that it does not name keep their default.'),
  ),
  containerSecurityContext: opt(
    described(
      k8s.SecurityContext,
      'Security context of the container; fields that it does not name keep their default. The node plugin stays root and privileged, since it mounts.',
    ),
  ),
  priorityClassName: opt(t.String({ description: 'Priority class of the pods; empty for none.', pattern: PRIORITY_CLASS })),
};
const selector = (whose: string) =>
  opt(
    t.Object(
      {
        matchLabels: opt(stringMap('Labels that all have to be there.')),
        matchExpressions: opt(
          t.Array(
            t.Object({ key: t.String(), operator: t.Enum(['In', 'NotIn', 'Exists', 'DoesNotExist']), values: opt(t.Array(t.String())) }),
            {
              description: 'Conditions on labels, all of which have to hold.',
            },
          ),
        ),
      },
      { description: `Labels of ${whose}; empty for all of them.` },
    ),
  );
const peer = t.Object({
  namespaceSelector: selector('the namespaces'),
  podSelector: selector('the pods, in these namespaces'),
  ipBlock: opt(
    t.Object({ cidr: t.String({ description: 'A range of addresses.' }), except: opt(t.Array(t.String())) }, { description: 'Addresses.' }),
  ),
});
const share = (description: string) => opt(t.Union([t.Integer(), t.String()], { description }));
const rollingUpdate = opt(
  t.Object(
    { maxSurge: share('Further pods meanwhile, a number or a percentage.'), maxUnavailable: share('Pods that may be missing meanwhile.') },
    { description: 'Of the type RollingUpdate.' },
  ),
);
const replicated = {
  ...pods,
  updateStrategy: opt(
    t.Object(
      { type: opt(t.Enum(['RollingUpdate', 'Recreate'], { description: 'How pods are replaced.' })), rollingUpdate },
      { description: 'How the Deployment replaces its pods. Without it: one more pod at a time, and none is missing meanwhile.' },
    ),
  ),
  podDisruptionBudget: opt(t.Boolean({ description: 'Whether a PodDisruptionBudget lets drains evict one pod at a time.' })),
};

/** The options of an installation, and the schema of the file of `sluice install --values`. */
export const InstallOptions = t.Object({
  namespace: opt(t.String({ description: 'Namespace of all parts.', pattern: namespacePattern })),
  registry: opt(
    t.String({
      description: 'Registry of all default images, of runtimes and of Sluice, in place of their own; paths and tags stay.',
      pattern: registryPattern,
    }),
  ),
  image: opt(t.String({ description: 'The one image of Sluice; without a host, it is in `registry`.', pattern: IMAGE })),
  imagePullPolicy: opt(t.Enum(['Always', 'IfNotPresent', 'Never'], { description: 'When nodes pull the image.' })),
  imagePullSecrets: opt(
    t.Array(k8s.LocalObjectReference, {
      description: 'Secrets of the namespace to pull images with; pods of runtimes that name none use Secrets of these names too.',
    }),
  ),
  mountRoot: opt(t.String({ description: 'Host directory of all FUSE mounts.', pattern: MOUNT_ROOT })),
  kubeletDir: opt(t.String({ description: "The kubelet's root directory on the nodes.", pattern: ABSOLUTE })),
  podLogsDir: opt(t.String({ description: "The kubelet's podLogsDir on the nodes.", pattern: ABSOLUTE })),
  criticalFusePods: opt(
    t.Boolean({
      description:
        'Whether fuse pods, in namespaces of users, are system-node-critical: CRITICAL_FUSE_POD. A cluster that guards this class needs false, or a quota in each such namespace.',
    }),
  ),
  aggregateEdit: opt(
    t.Boolean({
      description:
        'Whether all who may edit a namespace may write Datasets, runtimes and operations there. Who writes a runtime chooses the image of a privileged pod, and directories of nodes.',
    }),
  ),
  daemons: opt(
    t.Array(t.String(), {
      description: 'Types of runtimes whose daemons on the nodes are installed: efc, for its session manager.',
    }),
  ),
  nodePolicy: opt(t.Boolean({ description: 'Whether an admission policy restricts the node plugin to its own node (Kubernetes 1.30).' })),
  reservedKeys: opt(
    t.Enum(['audit', 'deny'], {
      description:
        'Whether an admission policy reports or refuses keys of Sluice on workloads and volumes that others write (Kubernetes 1.30); absent for no policy.',
    }),
  ),
  reservedKeysAllow: opt(
    t.Array(t.String({ pattern: USER }), {
      description:
        'Names of users that may write these keys too: restore tools, controllers of Fluid, a controller outside of the cluster.',
    }),
  ),
  controller: opt(
    t.Object(
      {
        replicas: opt(t.Integer({ minimum: 1, description: 'Replicas, of which one leads.' })),
        datasetMetrics: opt(
          t.Integer({
            minimum: 0,
            // Helm may print a million as 1e+06.
            maximum: 999_999,
            description:
              'Up to so many Datasets have metrics of their own; of more, metrics are sums by namespace, kind and phase. 0: neither.',
          }),
        ),
        openReferences: opt(t.Boolean({ description: 'Whether a Dataset may refer to any Dataset of any namespace, as in Fluid.' })),
        ...replicated,
      },
      { description: 'The controller.' },
    ),
  ),
  csi: opt(
    t.Object(
      {
        ...pods,
        updateStrategy: opt(
          t.Object(
            { type: opt(t.Enum(['RollingUpdate', 'OnDelete'], { description: 'How pods are replaced.' })), rollingUpdate },
            { description: 'How the DaemonSet replaces its pods. Without it: on a tenth of the nodes at a time.' },
          ),
        ),
      },
      { description: 'The node plugin.' },
    ),
  ),
  webhook: opt(
    t.Object(
      {
        enabled: opt(t.Boolean({ description: 'Whether the admission webhook is installed.' })),
        replicas: opt(t.Integer({ minimum: 1, description: 'Replicas, all of which serve.' })),
        failurePolicy: opt(
          t.Enum(['Fail', 'Ignore'], {
            description: 'What becomes of a pod that asks for a sidecar while no replica answers: Fail rejects the pod.',
          }),
        ),
        timeoutSeconds: opt(t.Integer({ minimum: 1, maximum: 30, description: 'How long the API server waits for an answer.' })),
        reinvocationPolicy: opt(
          t.Enum(['Never', 'IfNeeded'], { description: 'Whether the webhook sees a pod again that another webhook changed after it.' }),
        ),
        validation: opt(
          t.Boolean({
            description:
              'Whether the API server asks the webhook about Datasets, runtimes and operations that are written, too. Faults are refused as `sluice diff --offline` prints them.',
          }),
        ),
        platformLabel: opt(
          t.String({
            description: 'Key of a label that asks for sidecars, and whose value names their platform: KEY_SERVERLESS_PLATFORM.',
            pattern: LABEL_KEY,
          }),
        ),
        ...replicated,
      },
      { description: 'The admission webhook of pods.' },
    ),
  ),
  ui: opt(
    t.Object(
      {
        enabled: opt(t.Boolean({ description: 'Whether the page is installed, for viewers who sign in with tokens of the cluster.' })),
        ...pods,
        updateStrategy: replicated.updateStrategy,
      },
      { description: 'The page of `sluice ui`, which shows each viewer what they may list.' },
    ),
  ),
  monitoring: opt(
    t.Object(
      {
        enabled: opt(
          t.Boolean({
            description:
              'Whether PodMonitors and a PrometheusRule with the alerts are installed. They need the CRDs of the Prometheus operator.',
          }),
        ),
        labels: opt(stringMap('Labels of PodMonitors and PrometheusRule, such as those by which your Prometheus selects them.')),
        interval: opt(t.String({ description: 'How often Prometheus scrapes each pod.', pattern: '^[1-9][0-9]{0,3}[sm]$' })),
        boardNamespace: opt(
          t.String({ description: 'Namespace of the ConfigMaps; without it, that of Sluice.', pattern: namespacePattern }),
        ),
        boardLabels: opt(stringMap('Labels of the ConfigMaps, by which the sidecar of Grafana finds boards.')),
        scrapers: opt(
          t.Array(peer, {
            description:
              'Pods that may reach the port metrics, as peers of a NetworkPolicy; without any, all pods may. It holds also if enabled is false.',
          }),
        ),
      },
      { description: 'How Prometheus watches Sluice.' },
    ),
  ),
});
export type InstallOptions = Static<typeof InstallOptions>;
