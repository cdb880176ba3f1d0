/** Every way in which our CRDs say more than Fluid's, each with its reason. The test next door finds any other difference. */
export interface Addition {
  /** Plurals of the kinds, or all. */
  readonly kinds: readonly string[] | 'all';
  /** A path as the test prints it; with a leading `*`, every path that ends so. */
  readonly path: string;
  readonly reason: string;
}

const RUNTIMES = ['alluxioruntimes', 'juicefsruntimes', 'thinruntimes'] as const;
const newer = (version: string): string => `Kubernetes ${version}: what a pod may say, an embedded part of a pod may say`;

export const additions: readonly Addition[] = [
  {
    kinds: ['datasets', ...RUNTIMES],
    path: 'status.observedGeneration',
    reason: 'says whether a status is of this spec or of an older one; `kubectl wait` and GitOps tools look for it',
  },
  {
    kinds: ['thinruntimes'],
    path: 'columns',
    reason: 'Fluid prints only the name and age of a ThinRuntime; Worker Phase, Fuse Phase and Age are what the others show',
  },
  {
    kinds: ['datasets', ...RUNTIMES],
    path: 'rules',
    reason: 'names that Fluid refuses after the fact, or whose pods Kubernetes can never make, are refused when the object is made',
  },
  {
    kinds: ['juicefsruntimes'],
    path: 'spec.imagePullSecrets',
    reason: "Fluid's controller reads it, but its CRD prunes it, so that it never works",
  },
  {
    kinds: ['juicefsruntimes'],
    path: 'spec.volumeClaimTemplates[].metadata.name',
    reason: 'pruned by Fluid; without it no StatefulSet accepts the template and no container can mount it',
  },
  { kinds: ['juicefsruntimes'], path: 'spec.volumeClaimTemplates[].metadata.labels', reason: 'as the name' },
  { kinds: ['juicefsruntimes'], path: 'spec.volumeClaimTemplates[].metadata.annotations', reason: 'as the name' },
  { kinds: 'all', path: '*.volumeMounts[].recursiveReadOnly', reason: newer('1.30') },
  { kinds: 'all', path: '*.resources.claims[].request', reason: newer('1.31') },
  { kinds: 'all', path: '*.volumes[].image', reason: newer('1.31') },
  { kinds: 'all', path: '*.volumeSource.image', reason: newer('1.31') },
  { kinds: 'all', path: '*.lifecycle.stopSignal', reason: newer('1.33') },
  { kinds: 'all', path: '*.env[].valueFrom.fileKeyRef', reason: newer('1.34') },
  { kinds: 'all', path: '*.projected.sources[].podCertificate', reason: newer('1.34') },
];
