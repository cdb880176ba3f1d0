import type { MutationPlugin } from '../admission.ts';
import { datasetUsage } from './dataset-usage.ts';
import { filePrefetcher } from './file-prefetcher.ts';
import { fuseSidecar } from './fuse-sidecar.ts';
import { mountPropagation } from './mount-propagation.ts';
import { nodeAffinityWithCache } from './node-affinity-with-cache.ts';
import { preferNodesWithoutCache } from './prefer-nodes-without-cache.ts';
import { requireNodeWithFuse } from './require-node-with-fuse.ts';

/** All plugins that a profile may name. A new one has its place in the default profile too. */
export const plugins: readonly MutationPlugin[] = [
  filePrefetcher,
  requireNodeWithFuse,
  nodeAffinityWithCache,
  preferNodesWithoutCache,
  mountPropagation,
  fuseSidecar,
  datasetUsage,
];
