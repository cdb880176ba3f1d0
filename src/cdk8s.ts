/**
 * For people who write manifests with cdk8s: our kinds as constructs, and a dataset as a volume of a cdk8s-plus workload.
 * Published as `@sluice-data/sluice/cdk8s`; nothing that runs in the cluster loads it.
 */
import { AlluxioRuntime as alluxioRuntime } from '../runtimes/alluxio/spec.ts';
import { CacheRuntimeClass as cacheRuntimeClass } from '../runtimes/cache/class-spec.ts';
import { CacheRuntime as cacheRuntime } from '../runtimes/cache/spec.ts';
import { EFCRuntime as efcRuntime } from '../runtimes/efc/spec.ts';
import { JindoRuntime as jindoRuntime } from '../runtimes/jindo/spec.ts';
import { JuiceFSRuntime as juicefsRuntime } from '../runtimes/juicefs/spec.ts';
import { VineyardRuntime as vineyardRuntime } from '../runtimes/vineyard/spec.ts';
import {
  DataBackup as dataBackup,
  DataLoad as dataLoad,
  DataMigrate as dataMigrate,
  DataProcess as dataProcess,
  Dataset as dataset,
  ThinRuntime as thinRuntime,
  ThinRuntimeProfile as thinRuntimeProfile,
} from './api/index.ts';
import { DatasetVolume } from './constructs/dataset-volume.ts';
import { flatResourceClass, resourceClass } from './constructs/resource.ts';

export type { FlatResourceProps, ResourceProps } from './constructs/resource.ts';
export { DatasetVolume };

/**
 * An Alluxio cache for the Dataset of the same name.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 *
 * const chart = new Chart(new App(), 'ml');
 * new AlluxioRuntime(chart, 'images', {
 *   metadata: { name: 'images' },
 *   spec: { replicas: 2, tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm', quota: '2Gi' }] } },
 * });
 */
export class AlluxioRuntime extends resourceClass(alluxioRuntime) {}
/**
 * A cache that a CacheRuntimeClass describes, for the Dataset of the same name.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 *
 * const chart = new Chart(new App(), 'ml');
 * new CacheRuntime(chart, 'images', { metadata: { name: 'images' }, spec: { runtimeClassName: 'moosefs', worker: { replicas: 2 } } });
 */
export class CacheRuntime extends resourceClass(cacheRuntime) {}
/**
 * The shared definition of the CacheRuntimes of one file system. The object is cluster-scoped.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 *
 * const chart = new Chart(new App(), 'ml');
 * new CacheRuntimeClass(chart, 'moosefs', {
 *   metadata: { name: 'moosefs' },
 *   fileSystemType: 'moosefs',
 *   topology: { worker: { template: { spec: { containers: [{ name: 'chunkserver', image: 'registry.example/moosefs:4' }] } } } },
 * });
 */
export class CacheRuntimeClass extends flatResourceClass(cacheRuntimeClass) {}
/**
 * An EFC cache of Alibaba Cloud NAS for the Dataset of the same name.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 *
 * const chart = new Chart(new App(), 'ml');
 * new EFCRuntime(chart, 'images', {
 *   metadata: { name: 'images' },
 *   spec: { replicas: 2, tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm', quota: '2Gi' }] } },
 * });
 */
export class EFCRuntime extends resourceClass(efcRuntime) {}
/**
 * A Jindo cache for the Dataset of the same name.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 *
 * const chart = new Chart(new App(), 'ml');
 * new JindoRuntime(chart, 'images', {
 *   metadata: { name: 'images' },
 *   spec: { replicas: 2, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/mnt/disk1', quota: '40Gi' }] } },
 * });
 */
export class JindoRuntime extends resourceClass(jindoRuntime) {}
/**
 * A JuiceFS cache for the Dataset of the same name.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 *
 * const chart = new Chart(new App(), 'ml');
 * new JuiceFSRuntime(chart, 'images', {
 *   metadata: { name: 'images' },
 *   spec: { replicas: 2, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/var/cache/juicefs', quota: '40Gi' }] } },
 * });
 */
export class JuiceFSRuntime extends resourceClass(juicefsRuntime) {}
/**
 * A FUSE file system from a vendor's image for the Dataset of the same name.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 *
 * const chart = new Chart(new App(), 'ml');
 * new ThinRuntime(chart, 'images', {
 *   metadata: { name: 'images' },
 *   spec: { profileName: 'sshfs' },
 * });
 */
export class ThinRuntime extends resourceClass(thinRuntime) {}
/**
 * Defaults for every ThinRuntime that names the profile. The object is cluster-scoped.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 *
 * const chart = new Chart(new App(), 'ml');
 * new ThinRuntimeProfile(chart, 'images', {
 *   metadata: { name: 'sshfs' },
 *   spec: { fileSystemType: 'sshfs', fuse: { image: 'registry.example/sshfs', imageTag: '1' } },
 * });
 */
export class ThinRuntimeProfile extends resourceClass(thinRuntimeProfile) {}
/**
 * A Vineyard for the Dataset of the same name: objects in shared memory.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 *
 * const chart = new Chart(new App(), 'ml');
 * new VineyardRuntime(chart, 'objects', {
 *   metadata: { name: 'objects' },
 *   spec: { replicas: 2, tieredstore: { levels: [{ mediumtype: 'MEM', quota: '20Gi' }] } },
 * });
 */
export class VineyardRuntime extends resourceClass(vineyardRuntime) {}

/**
 * A DataBackup: writes the metadata of a Dataset into files, in a Job.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 *
 * const chart = new Chart(new App(), 'ml');
 * new DataBackup(chart, 'images', { metadata: { name: 'images' }, spec: { dataset: 'images', backupPath: 'pvc://backups/images' } });
 */
export class DataBackup extends resourceClass(dataBackup) {}

/**
 * A DataLoad: loads paths of a Dataset into its cache, in a Job.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 *
 * const chart = new Chart(new App(), 'ml');
 * new DataLoad(chart, 'warm', { metadata: { name: 'warm' }, spec: { dataset: { name: 'images' }, target: [{ path: '/train' }] } });
 */
export class DataLoad extends resourceClass(dataLoad) {}

/**
 * A DataMigrate: copies data between Datasets and other stores, in a Job.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 *
 * const chart = new Chart(new App(), 'ml');
 * new DataMigrate(chart, 'archive', {
 *   metadata: { name: 'archive' },
 *   spec: {
 *     from: { dataset: { name: 'images', namespace: 'ml', path: '/2025' } },
 *     to: { externalStorage: { uri: 'pvc://archive/images' } },
 *   },
 * });
 */
export class DataMigrate extends resourceClass(dataMigrate) {}

/**
 * A DataProcess: runs a script or a pod on the data of a Dataset, in a Job.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 *
 * const chart = new Chart(new App(), 'ml');
 * new DataProcess(chart, 'resize', {
 *   metadata: { name: 'resize' },
 *   spec: {
 *     dataset: { name: 'images', mountPath: '/data' },
 *     processor: { script: { image: 'registry.example/tools', imageTag: '1', command: ['bash'], source: 'ls /data' } },
 *   },
 * });
 */
export class DataProcess extends resourceClass(dataProcess) {}

/**
 * A Dataset: files in a store, which pods mount once a runtime of the same name serves them.
 * @throws InvalidSpec with every fault, when the object is constructed.
 * @example
 * import { App, Chart } from 'cdk8s';
 * import { Deployment } from 'cdk8s-plus-27';
 *
 * const chart = new Chart(new App(), 'ml');
 * const images = new Dataset(chart, 'images', { metadata: { name: 'images' }, spec: { mounts: [{ mountPoint: 's3://bucket/images' }] } });
 * const training = new Deployment(chart, 'training', { containers: [{ image: 'registry.example/train:1' }] });
 * training.containers[0]?.mount('/data', images.volume, { readOnly: true });
 */
export class Dataset extends resourceClass(dataset) {
  #volume: DatasetVolume | undefined;

  /** The Dataset as a volume of any line of cdk8s-plus: `container.mount('/data', dataset.volume)`. Sluice creates the claim that it names. */
  get volume(): DatasetVolume {
    this.#volume ??= new DatasetVolume(this, 'volume', this.name);
    return this.#volume;
  }
}
