/**
 * The ConfigMap `webhook-plugins` of a new installation, which also counts where it is missing. It is Fluid's, but that several names of
 * `required` mean all of them.
 */
export const defaultProfile = `plugins:
  serverful:
    withDataset:
    - FilePrefetcher
    - RequireNodeWithFuse
    - NodeAffinityWithCache
    - MountPropagationInjector
    - DatasetUsageInjector
    withoutDataset:
    - PreferNodesWithoutCache
  serverless:
    withDataset:
    - FilePrefetcher
    - FuseSidecar
    - DatasetUsageInjector
    withoutDataset: []
pluginConfig:
- name: NodeAffinityWithCache
  args: |
    preferred:
    # This name stands for the nodes that hold the cache of a Dataset.
    - name: fluid.io/node
      weight: 100
    # Labels of nodes that the workers of a runtime require.
    - name: topology.kubernetes.io/zone
      weight: 50
    - name: topology.kubernetes.io/region
      weight: 20
    # For pods with the label fluid.io/dataset.<name>.sched: required.
    required:
    - fluid.io/node
`;
