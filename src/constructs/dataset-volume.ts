import { Construct, type IConstruct } from 'constructs';

/**
 * A Dataset as a volume of cdk8s-plus, of whichever line of it: `container.mount('/data', dataset.volume)`. It names the claim that Sluice
 * creates. No type of cdk8s-plus is named, since each line has classes of its own, which TypeScript does not exchange for each other.
 *
 * @example
 * import { App, Chart } from 'cdk8s';
 * import { Deployment } from 'cdk8s-plus-27';
 *
 * const chart = new Chart(new App(), 'ml');
 * // Of a Dataset that another chart defines; one of your own has it as `dataset.volume`.
 * const volume = new DatasetVolume(chart, 'volume', 'images');
 * const training = new Deployment(chart, 'training', { containers: [{ image: 'registry.example/train:1' }] });
 * training.containers[0]?.mount('/data', volume, { readOnly: true });
 */
export class DatasetVolume extends Construct implements IConstruct {
  /** Name of the volume in the pod, and of the claim. */
  readonly name: string;

  /** @param claim name of the PersistentVolumeClaim, which is the Dataset's: a DNS label */
  constructor(scope: Construct, id: string, claim: string) {
    super(scope, id);
    this.name = claim;
  }

  /** The type that `mount` of cdk8s-plus expects of a volume depends on the line of cdk8s-plus. */
  asVolume(): never {
    return this as never;
  }

  /** The volume in a pod's spec, as cdk8s-plus asks for it at synthesis. */
  _toKube(): { name: string; persistentVolumeClaim: { claimName: string; readOnly: boolean } } {
    return { name: this.name, persistentVolumeClaim: { claimName: this.name, readOnly: false } };
  }
}
