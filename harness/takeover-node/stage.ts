/** A control plane, a real node, and Fluid at work on it. */
import {
  alluxioImage,
  type ControlPlane,
  fuseImage,
  juicefsImage,
  minioImage,
  type RealNode,
  startControlPlane,
  startNode,
} from '../index.ts';
import { tagImage } from '../../test/node/installed.ts';
import { withSluiceImage } from '../../test/node/sluice-image.ts';
import type { FluidBuild } from '../fluid/build.ts';
import { type Claim, createDatasets } from './datasets.ts';
import { installFluid } from './fluid.ts';
import { FLUID_IMAGE, fluidImage, fluidImageNames, FLUID_TAG, registrarImage } from './images.ts';

export interface Stage {
  readonly plane: ControlPlane;
  readonly node: RealNode;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Returns when all Datasets are Bound. */
export async function startStage(
  build: FluidBuild,
  registrar: string,
  { claims, onProgress }: { readonly claims: readonly Claim[]; readonly onProgress: (what: string) => void },
): Promise<Stage> {
  onProgress('control plane');
  const plane = await startControlPlane({ nodes: 0 });
  const stops: (() => Promise<void>)[] = [() => plane.stop()];
  const stop = async () => {
    for (const each of stops.splice(0).toReversed()) await each();
  };
  try {
    onProgress('node');
    const images = [fuseImage(), minioImage(), juicefsImage(), alluxioImage(), fluidImage(build), registrarImage(registrar)];
    const node = await startNode(plane, { images });
    stops.push(() => node.stop());
    for (const name of fluidImageNames) await tagImage(node, FLUID_IMAGE, `localhost/${name}:${FLUID_TAG}`);
    onProgress('image of Sluice');
    await withSluiceImage((archive) => node.importImage(archive));
    onProgress('helm install of Fluid');
    await installFluid(build, plane, node);
    onProgress('Datasets');
    await createDatasets({ plane, node }, claims);
    return { plane, node, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
