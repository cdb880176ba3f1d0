import { datasetCountNodeLabel } from '../../api/index.ts';
import type { MutationPlugin } from '../admission.ts';
import { preferring } from './affinity/requirements.ts';
import { withoutArguments } from './arguments.ts';

const WEIGHT = 100;
const expressions = [{ key: datasetCountNodeLabel, operator: 'DoesNotExist' }];

/** Keeps a pod that mounts no Dataset away from nodes that hold cache, where others may need the room. */
export const preferNodesWithoutCache: MutationPlugin = {
  name: 'PreferNodesWithoutCache',
  configure: withoutArguments((pod, { uses }) => (uses.length > 0 ? pod : preferring(pod, [{ weight: WEIGHT, expressions }]))),
};
