/** Everything that Fluid's CRDs have and Sluice's have not, by the end of its path, with its reason. */
export const losses: Readonly<Record<string, string>> = {
  '.resourceClaims[].source': 'pods have no such field since Kubernetes 1.31: what it held is in the entry itself',
  '.resourceClaims[].source.resourceClaimName': 'part of it',
  '.resourceClaims[].source.resourceClaimTemplateName': 'part of it',
};

/** Everything that Sluice's CRDs add to Fluid's, each with its reason. The test beside this file fails for any other difference. */
export interface Addition {
  /** Plurals of the kinds, or all. */
  readonly kinds: readonly string[] | 'all';
  /** A path as the test prints it; with a leading `*`, every path that ends so. */
  readonly path: string;
  readonly reason: string;
}

const RUNTIMES = [
  'alluxioruntimes',
  'cacheruntimes',
  'efcruntimes',
  'jindoruntimes',
  'juicefsruntimes',
  'thinruntimes',
  'vineyardruntimes',
] as const;
const OPERATIONS = ['dataloads', 'datamigrates', 'dataprocesses', 'databackups'] as const;
const newer = (version: string): string => `a field of pods since Kubernetes ${version}; embedded parts of a pod accept it too`;

export const additions: readonly Addition[] = [
  {
    kinds: ['datasets', ...RUNTIMES, ...OPERATIONS],
    path: 'status.observedGeneration',
    reason: 'says whether a status is about this spec or an older one; `kubectl wait` and GitOps tools read it',
  },
  {
    kinds: ['thinruntimes'],
    path: 'columns',
    reason: 'Fluid prints only the name and age of a ThinRuntime; Sluice adds Worker Phase, Fuse Phase and Age, as for the other kinds',
  },
  {
    kinds: ['cacheruntimes'],
    path: 'subresources.scale',
    reason: 'Fluid has no scale subresource for it; autoscalers need one, on `spec.worker.replicas`',
  },
  ...['MasterPhase', 'ReadyMasters', 'WorkerPhase', 'ReadyWorkers', 'ClientPhase', 'ReadyClients', 'Class'].map((column) => ({
    kinds: ['cacheruntimes'],
    path: `columns.${column}`,
    reason: 'Fluid prints the age and a Status that no CacheRuntime has; Sluice prints what the other kinds do, and the class',
  })),
  {
    kinds: ['cacheruntimeclasses'],
    path: '*.template.metadata.labels',
    reason: "Fluid's CRD prunes the labels of the class's pods",
  },
  { kinds: ['cacheruntimeclasses'], path: '*.template.metadata.annotations', reason: 'as for the labels' },
  { kinds: 'all', path: 'columns.Progress', reason: 'Fluid does not report how far an operation is' },
  {
    kinds: OPERATIONS,
    path: 'status.observedRunAfter',
    reason: 'says which operation `waitingFor` is about: after an edit of `spec.runAfter` it waits for another one',
  },
  {
    kinds: OPERATIONS,
    path: 'status.observedMounts',
    reason: 'says which mounts the latest run of an operation with `policy: OnEvent` found: others lead to another run',
  },
  {
    kinds: OPERATIONS,
    path: 'status.observedRetry',
    reason: 'says for which text of the annotation `data.fluid.io/retry` the latest run was: a new text asks for another run',
  },
  {
    kinds: ['datasets', ...RUNTIMES],
    path: 'rules',
    reason: 'the API server rejects, at creation, names that Fluid rejects later, and names with which Kubernetes could never create pods',
  },
  {
    kinds: ['juicefsruntimes'],
    path: 'spec.imagePullSecrets',
    reason: "Fluid's controller reads the field, but its CRD prunes it, so it never has an effect",
  },
  {
    kinds: ['juicefsruntimes'],
    path: 'spec.volumeClaimTemplates[].metadata.name',
    reason: "Fluid's CRD prunes it; without a name, a StatefulSet rejects the template, and no container can mount the volume",
  },
  { kinds: ['juicefsruntimes'], path: 'spec.volumeClaimTemplates[].metadata.labels', reason: 'as for the name' },
  { kinds: ['juicefsruntimes'], path: 'spec.volumeClaimTemplates[].metadata.annotations', reason: 'as for the name' },
  { kinds: 'all', path: '*.securityContext.appArmorProfile', reason: newer('1.30') },
  { kinds: 'all', path: '*.podSpec.resourceClaims[].resourceClaimName', reason: newer('1.31') },
  { kinds: ['cacheruntimeclasses'], path: '*.template.spec.resourceClaims[].resourceClaimName', reason: newer('1.31') },
  { kinds: 'all', path: '*.podSpec.resourceClaims[].resourceClaimTemplateName', reason: newer('1.31') },
  { kinds: ['cacheruntimeclasses'], path: '*.template.spec.resourceClaims[].resourceClaimTemplateName', reason: newer('1.31') },
  { kinds: 'all', path: '*.podSpec.securityContext.supplementalGroupsPolicy', reason: newer('1.31') },
  { kinds: ['cacheruntimeclasses'], path: '*.template.spec.securityContext.supplementalGroupsPolicy', reason: newer('1.31') },
  { kinds: 'all', path: '*.podSpec.securityContext.seLinuxChangePolicy', reason: newer('1.32') },
  { kinds: ['cacheruntimeclasses'], path: '*.template.spec.securityContext.seLinuxChangePolicy', reason: newer('1.32') },
  { kinds: 'all', path: '*.podSpec.resources', reason: newer('1.32') },
  { kinds: ['cacheruntimeclasses'], path: '*.template.spec.resources', reason: newer('1.32') },
  { kinds: 'all', path: '*.podSpec.hostnameOverride', reason: newer('1.34') },
  { kinds: ['cacheruntimeclasses'], path: '*.template.spec.hostnameOverride', reason: newer('1.34') },
  { kinds: 'all', path: '*ontainers[].restartPolicyRules', reason: newer('1.34') },
  { kinds: 'all', path: '*.volumeMounts[].recursiveReadOnly', reason: newer('1.30') },
  { kinds: 'all', path: '*.resources.claims[].request', reason: newer('1.31') },
  { kinds: 'all', path: '*.volumes[].image', reason: newer('1.31') },
  { kinds: 'all', path: '*.volumeSource.image', reason: newer('1.31') },
  { kinds: 'all', path: '*.lifecycle.stopSignal', reason: newer('1.33') },
  { kinds: 'all', path: '*.env[].valueFrom.fileKeyRef', reason: newer('1.34') },
  { kinds: 'all', path: '*.projected.sources[].podCertificate', reason: newer('1.34') },
];
