/**
 * For people who write manifests with cdk8s: our kinds as constructs, and a dataset as a volume of a cdk8s-plus workload.
 * Published as `sluice/cdk8s`; nothing that runs in the cluster loads it.
 */
import type { ApiObject } from 'cdk8s';
import { PersistentVolumeClaim, Volume } from 'cdk8s-plus-27';
import { AlluxioRuntime as alluxioRuntime } from '../runtimes/alluxio/spec.ts';
import { JuiceFSRuntime as juicefsRuntime } from '../runtimes/juicefs/spec.ts';
import { Dataset as dataset, ThinRuntime as thinRuntime, ThinRuntimeProfile as thinRuntimeProfile } from './api/index.ts';
import { resourceClass } from './constructs/resource.ts';

export type { ResourceProps } from './constructs/resource.ts';

export class AlluxioRuntime extends resourceClass(alluxioRuntime) {}
export class JuiceFSRuntime extends resourceClass(juicefsRuntime) {}
export class ThinRuntime extends resourceClass(thinRuntime) {}
export class ThinRuntimeProfile extends resourceClass(thinRuntimeProfile) {}

export class Dataset extends resourceClass(dataset) {
  #volume: Volume | undefined;

  /** To be mounted: `container.mount('/data', dataset.volume)`. It refers to the claim that appears with the dataset's name. */
  get volume(): Volume {
    this.#volume ??= volumeOf(this);
    return this.#volume;
  }
}

const volumeOf = (object: ApiObject): Volume =>
  Volume.fromPersistentVolumeClaim(object, 'volume', PersistentVolumeClaim.fromClaimName(object, 'claim', object.name), {
    name: object.name,
  });
