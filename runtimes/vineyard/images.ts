import { imageTable, type PlanInput } from '../../src/constructs/index.ts';
import type { VineyardRuntimeSpec } from './spec.ts';

const REGISTRY = 'registry.aliyuncs.com/vineyard';
const table = imageTable({
  master: ['VINEYARD_MASTER_IMAGE_ENV', `${REGISTRY}/vineyardd:v0.22.2`],
  worker: ['VINEYARD_WORKER_IMAGE_ENV', `${REGISTRY}/vineyardd:v0.22.2`],
  fuse: ['VINEYARD_FUSE_IMAGE_ENV', `${REGISTRY}/vineyard-fluid-fuse:v0.22.2`],
});
export const imageVariables = table.variables;

/** An image in the form of a container. */
export function imageFor(
  role: 'master' | 'worker' | 'fuse',
  { spec, settings }: Pick<PlanInput<VineyardRuntimeSpec>, 'spec' | 'settings'>,
) {
  const { image, imagePullPolicy } = table.of(role, settings.env, spec[role]);
  return { image, imagePullPolicy: imagePullPolicy || 'IfNotPresent' };
}
