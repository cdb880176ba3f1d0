import { imageTable, type PlanInput } from '../../src/constructs/index.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';

/** The default of Fluid's chart; the image built into Fluid is years older. */
const BUILT_IN = 'alluxio/alluxio-dev:2.9.0';
const table = imageTable({ engine: ['ALLUXIO_RUNTIME_IMAGE_ENV', BUILT_IN], fuse: ['ALLUXIO_FUSE_IMAGE_ENV', BUILT_IN] });
export const images = table.images;

/** The images in the form of containers. */
export const imagesOf = ({ spec, settings }: PlanInput<AlluxioRuntimeSpec>) => ({
  engine: table.of('engine', settings, spec.alluxioVersion),
  fuse: table.of('fuse', settings, spec.fuse),
});
export type Image = ReturnType<typeof table.of>;
