import type { Dataset, Manifest, OperationStatus } from '../../api/index.ts';
import type { Notice } from '../cluster.ts';
import type { Applied, Key, OperationKey } from '../world.ts';
import type { EndedPod, Infos, JobEnd, JobView, OperationObject, OperationWorld, Prepared, Work } from './world.ts';

/** Every effect of a pass over an operation. */
export interface OperationCluster {
  observe(key: OperationKey): OperationWorld | undefined;
  /** From now on changes of these objects alone wake the operation, besides its own and its Job's; of a Dataset, those of its runtime too. */
  awaits(key: OperationKey, objects: readonly (Key | OperationKey)[]): void;
  /** Until `work` has ended, the operation counts as one that runs. */
  starting<T>(key: OperationKey, work: () => Promise<T>): Promise<T>;
  /**
   * Reads the Job of an operation, although no watch shows it as the operation's own, and labels it. Another writer has changed or removed
   * the label, or Fluid created the Job. Without a Job nothing happens.
   */
  adoptJob(world: OperationWorld): Promise<void>;
  /** Renders what the operation needs, once its Dataset is bound and its runtime can serve it. Nothing is written. */
  prepare(world: OperationWorld, dataset: Dataset): Promise<Prepared>;

  /** Writes the finalizer and the Dataset as an owner. Without a difference there is no write. */
  mark(operation: OperationObject, dataset: Dataset): Promise<void>;
  unmark(operation: OperationObject): Promise<void>;
  /** Deletes an operation that is over, if it still is. */
  expire(operation: OperationObject): Promise<void>;
  /** Creates what does not exist; a CronJob also changes. */
  apply(world: OperationWorld, dataset: Dataset, manifests: readonly Manifest[]): Promise<Applied>;
  /** Deletes Jobs with their pods, and the CronJob before them. Its script goes with the operation. */
  deleteJobs(of: Pick<Key, 'namespace'>, those: Pick<OperationWorld, 'run' | 'schedule' | 'latest'>): Promise<void>;
  /**
   * Deletes what serves a run only, and not its end: helping pods, and their keys.
   *
   * @param kept what the next run needs. Default: nothing
   */
  endRun(world: OperationWorld, kept?: readonly Manifest[]): Promise<void>;
  /** Suspends Jobs and CronJobs, or ends that. */
  suspend(of: Pick<Key, 'namespace'>, works: readonly Work[], isPaused: boolean): Promise<void>;
  /** How far the Job is, as its pod said last. Asked for in the background, every 10 s; an answer wakes the operation. */
  progress(world: OperationWorld, job: JobView): Infos | undefined;
  /** Why Kubernetes creates no pod of a Job or its helper, in its words; undefined if it does not say. Asked for as `progress`, every minute. */
  podRefusal(world: OperationWorld, of: Pick<JobView, 'uid'>): string | 'asking' | undefined;
  /** How the last pod of the Job ended; undefined if no pod of it is left. */
  lastPod(of: Pick<Key, 'namespace'>, job: JobView): Promise<EndedPod | undefined>;
  /** One merge patch of what differs; 409 when another writer was first. True when something was written. */
  writeStatus(operation: OperationObject, status: OperationStatus): Promise<boolean>;
  /** The operation's Job has ended, and its status says so now. */
  ended(operation: OperationObject, job: JobView, end: JobEnd): void;
  notice(operation: OperationObject, notice: Notice): void;
}

/** One pass, for its effects and reports. */
export interface OperationPass {
  readonly cluster: OperationCluster;
  readonly world: OperationWorld;
  /** How much longer a passing hold may go unreported. */
  readonly reportInMs: number;
}
