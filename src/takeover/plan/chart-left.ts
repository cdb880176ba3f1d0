/** Values of Fluid's chart that have no place in Sluice, and the reason. */
export interface LeftRow {
  /** As those of a `ChartRow`. */
  readonly paths: readonly string[];
  readonly because: string;
}

const ONE_IMAGE = 'all parts of Sluice run one image, which `image` names';
const imagesOf = (path: string): readonly string[] =>
  ['image', 'imagePrefix', 'imageName', 'imageTag', 'imagePullPolicy'].map((key) => `${path}.${key}`);

/** The first row that has a path counts. */
export const leftRows: readonly LeftRow[] = [
  { paths: ['runtime.goosefs.**'], because: 'Sluice does not serve GooseFSRuntime' },
  { paths: ['workdir'], because: 'the controller of Sluice writes no files' },
  { paths: ['helmDriver'], because: 'Sluice creates no helm releases for runtimes; those of Fluid stay for the way back' },
  { paths: ['crdUpgrade.**'], because: '`sluice crds` prints the CRDs, which are applied before the controller starts' },
  {
    paths: [
      'imagePrefix',
      'version',
      ...imagesOf('dataset.controller'),
      ...imagesOf('runtime.*.controller'),
      ...imagesOf('csi.registrar'),
      ...imagesOf('csi.plugins'),
      ...imagesOf('webhook'),
      ...imagesOf('fluidapp.controller'),
    ],
    because: ONE_IMAGE,
  },
  {
    paths: [
      ...['runtimeWorkers', 'kubeClientQPS', 'kubeClientBurst', 'workQueueQPS', 'workQueueBurst'].flatMap((key) => [
        `dataset.${key}`,
        `runtime.*.${key}`,
      ]),
      'runtime.syncRetryDuration',
      'runtime.thin.syncRetryRateLimitDuration',
    ],
    because: 'rates of the controller follow the load of the API server, and it polls no healthy object',
  },
  {
    paths: ['dataset.resources.**', 'runtime.*.resources.**'],
    because: 'one controller serves all kinds: `controller.resources` follows from the number of Datasets',
  },
  { paths: ['runtime.*.enabled'], because: 'the controller serves every kind, and costs nothing for one without objects' },
  { paths: ['runtime.alluxio.init.**'], because: 'a user of `runAs` needs no init container' },
  { paths: ['runtime.alluxio.mountConfigStorage'], because: 'no ConfigMap holds mounts' },
  { paths: ['csi.enabled'], because: 'the node plugin is always installed: no pod gets its data without' },
  {
    paths: ['csi.featureGates', 'csi.recoverWarningThreshold'],
    because: 'the node plugin always recovers mounts, and writes an event for each',
  },
  { paths: ['csi.pruneFs'], because: 'the node plugin leaves updatedb.conf of the node as it is' },
  { paths: ['csi.config.hostNetwork', 'csi.hostPID'], because: 'the node plugin needs no namespaces of the host' },
  {
    paths: ['csi.useNodeAuthorization', 'csi.kubelet.kubeConfigFile', 'csi.kubelet.certDir'],
    because: 'an admission policy restricts the node plugin to its own node: `nodePolicy`',
  },
  {
    paths: ['webhook.pluginsProfile.**', 'webhook.forceReplacePluginsProfile'],
    because: 'the lists of plugins stay in ConfigMap `webhook-plugins`, which `sluice install` does not print',
  },
  {
    paths: ['webhook.serverlessInject.platformValue', 'webhook.serverlessInject.vfuseResourceName'],
    because: 'the value of the label names the platform, whatever it is, and no sidecar asks for a device',
  },
  { paths: ['fluidapp.featureGates'], because: '`affinityStrategy` of operations always has its effect' },
  { paths: ['fluidapp.**'], because: 'the controller ends the sidecars of Jobs itself' },
  { paths: ['nameOverride', 'fullnameOverride', 'serviceAccount.**'], because: 'the chart has no object that is named by them' },
];
