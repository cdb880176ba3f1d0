import { imageOf, type PlanInput } from '../../src/constructs/index.ts';
import type { VineyardRuntimeSpec } from './spec.ts';

const REGISTRY = 'registry.aliyuncs.com/vineyard';
const IMAGES = {
  master: { variable: 'VINEYARD_MASTER_IMAGE_ENV', usual: `${REGISTRY}/vineyardd:v0.22.2` },
  worker: { variable: 'VINEYARD_WORKER_IMAGE_ENV', usual: `${REGISTRY}/vineyardd:v0.22.2` },
  fuse: { variable: 'VINEYARD_FUSE_IMAGE_ENV', usual: `${REGISTRY}/vineyard-fluid-fuse:v0.22.2` },
} as const;
export const imageVariables = Object.values(IMAGES).map(({ variable }) => variable);

/** As a container has it. */
export function imageFor(role: keyof typeof IMAGES, { spec, settings }: Pick<PlanInput<VineyardRuntimeSpec>, 'spec' | 'settings'>) {
  const { variable, usual } = IMAGES[role];
  return {
    image: imageOf(spec[role], settings.env[variable], usual),
    imagePullPolicy: spec[role]?.imagePullPolicy || 'IfNotPresent',
  };
}
