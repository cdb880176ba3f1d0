import { imageOf, type PlanInput } from '../../src/constructs/index.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';

const VARIABLES = { engine: 'ALLUXIO_RUNTIME_IMAGE_ENV', fuse: 'ALLUXIO_FUSE_IMAGE_ENV' } as const;
export const imageVariables = Object.values(VARIABLES);
/** What Fluid's chart sets where an installation says nothing; the image built into Fluid is years older. */
const BUILT_IN = 'alluxio/alluxio-dev:2.9.0';

/** As containers have it. */
export interface Image {
  readonly image: string;
  readonly imagePullPolicy: string | undefined;
}
export const imagesOf = ({ spec, settings }: PlanInput<AlluxioRuntimeSpec>): Readonly<Record<'engine' | 'fuse', Image>> => ({
  engine: {
    image: imageOf(spec.alluxioVersion, settings.env[VARIABLES.engine], BUILT_IN),
    imagePullPolicy: spec.alluxioVersion?.imagePullPolicy,
  },
  fuse: { image: imageOf(spec.fuse, settings.env[VARIABLES.fuse], BUILT_IN), imagePullPolicy: spec.fuse?.imagePullPolicy },
});
