/** What the ConfigMap `webhook-plugins` says in a new installation, and what counts without it. */
export const defaultProfile = `plugins:
  serverful:
    withDataset:
    - MountPropagationInjector
    - DatasetUsageInjector
    withoutDataset: []
  serverless:
    withDataset:
    - DatasetUsageInjector
    withoutDataset: []
`;
