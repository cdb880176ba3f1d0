/**
 * Lists of built-in kinds whose entries are merged: by these fields, of which strategic merge patches know the first alone. Rule: the
 * marks `+listMapKey` and `patchMergeKey` of the types in k8s.io/api.
 */
export const LIST_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  env: ['name'],
  volumes: ['name'],
  imagePullSecrets: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  schedulingGates: ['name'],
  ownerReferences: ['uid'],
  conditions: ['type'],
  // For ServiceAccounts, Nodes, webhook configurations and admission policies.
  secrets: ['name'],
  addresses: ['type'],
  webhooks: ['name'],
  matchConditions: ['name'],
  variables: ['name'],
};

/** Lists of plain values that are sets. */
export const SETS: ReadonlySet<string> = new Set(['finalizers', 'validationActions', 'volumeLifecycleModes']);
