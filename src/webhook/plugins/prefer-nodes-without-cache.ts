import { datasetCountNodeLabel } from '../../api/index.ts';
import type { MutationPlugin } from '../admission.ts';
import { preferring } from './affinity/requirements.ts';
import { noArguments } from './arguments.ts';

const WEIGHT = 100;

/** Keeps a pod that mounts no Dataset away from nodes that hold cache, where others may need the room. */
export const preferNodesWithoutCache: MutationPlugin = {
  name: 'PreferNodesWithoutCache',
  configure: (args) => {
    noArguments(args);
    const expressions = [{ key: datasetCountNodeLabel, operator: 'DoesNotExist' }];
    return (pod, { uses }) => (uses.length > 0 ? pod : preferring(pod, [{ weight: WEIGHT, expressions }]));
  },
};
