import type { Construct } from 'constructs';
import type {
  Affinity,
  DataMigrateSpec,
  DataProcessSpec,
  DatasetSpec,
  NodeAffinity,
  ResourceRequirements,
  Toleration,
  User,
} from '../../api/index.ts';
import type { Facts, PodFact } from './input.ts';
import type { ComponentProps } from './pod.ts';
import type { Warning } from '../warnings.ts';

/** Kinds of operations on the data of a Dataset. Users create objects of these kinds. */
export type OperationKind = 'DataLoad' | 'DataMigrate' | 'DataProcess' | 'DataBackup';

/** Names an operation; without a namespace, one of the same namespace. */
export interface OperationRef {
  readonly kind: OperationKind;
  readonly name: string;
  readonly namespace?: string;
}

/** Fields that users may set on an operation of any kind. No shell reads any of them. */
export interface OperationSpec {
  /** Default: `Once`. `Cron` needs a `schedule`. */
  readonly policy?: 'Once' | 'Cron' | 'OnEvent';
  /** In the format of a CronJob: `0 3 * * *`. */
  readonly schedule?: string;
  /** The operation that has to be complete before this one starts. */
  readonly runAfter?: OperationRef & {
    /** Whether its pod runs where an earlier operation ran. */
    readonly affinityStrategy?: {
      /** Default: the operation that this one runs after. */
      readonly dependOn?: OperationRef;
      readonly policy?: string;
      /** Labels of nodes, each with a weight. */
      readonly prefers?: readonly { readonly name: string; readonly weight: number }[];
      /** Labels of nodes. */
      readonly requires?: readonly { readonly name: string }[];
    };
  };
  /** Seconds after its end until the operation is deleted. */
  readonly ttlSecondsAfterFinished?: number;
  /** Labels and annotations of the pod. */
  readonly podMetadata?: { readonly labels?: Readonly<Record<string, string>>; readonly annotations?: Readonly<Record<string, string>> };
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  /** Labels that a node must have to run the pod. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Scheduler of the pod. Default: the cluster's. */
  readonly schedulerName?: string;
  /** Resources of the pod's first container. */
  readonly resources?: ResourceRequirements;
}
/** Spec of a DataLoad: fills the cache. */
export interface LoadSpec extends OperationSpec {
  /** Whether the engine reads the metadata of the store again before it loads. */
  readonly loadMetadata?: boolean;
  /** Paths in the Dataset, each with the number of cached replicas. Default: the whole Dataset, one replica. */
  readonly target?: readonly { readonly path: string; readonly replicas?: number }[];
  /** Options of the engine's load command, by name. */
  readonly options?: Readonly<Record<string, string>>;
}
/** Spec of a DataBackup: writes the metadata of the engine into files. */
export interface BackupSpec extends OperationSpec {
  /** Where to: `pvc://<claim>/<path>` or `local:///<path>`. */
  readonly backupPath?: string;
  /** User that writes the files. Default: the user of the runtime. */
  readonly runAs?: User;
}
/** The spec of each kind of operation. */
export interface OperationSpecs {
  readonly DataLoad: LoadSpec;
  /** Copies data from one place to another. */
  readonly DataMigrate: DataMigrateSpec;
  /** A script or a pod of the user. */
  readonly DataProcess: DataProcessSpec;
  readonly DataBackup: BackupSpec;
}

/** One operation that a user asked for, on a Dataset that is bound. */
export interface Operation<K extends OperationKind = OperationKind> {
  readonly kind: K;
  readonly name: string;
  readonly namespace: string;
  /** UID of the operation. It owns every object that is created for it. */
  readonly uid: string;
  /** Spec of the operation, by its kind. */
  readonly spec: OperationSpecs[K];
  /** Facts that were looked up when the operation started. */
  readonly facts: OperationFacts;
}
/** The state of the engine when an operation starts. A CronJob runs later than that: its objects should not depend on it. */
export interface OperationFacts {
  /** Ready pods of masters and workers, by role. */
  readonly pods: Facts['pods'];
  /** The pod that the engine's `leader` probe names. While an engine with that probe has no leader, the operation waits. */
  readonly leader?: PodFact;
  /** Where an earlier operation ran, if this one asks to run there. `OperationJob` demands or prefers it. */
  readonly near?: NodeAffinity;
  /** For a DataMigrate: the specs of the Datasets that it names, by name. All are bound. */
  readonly datasets?: Readonly<Record<string, DatasetSpec>>;
  /** A key pair that was made for this operation, if its class needs one. */
  readonly sshKeys?: SshKeys;
  /** With policy Cron: no Job of it runs now. What only serves a Job may have no pods. */
  readonly isIdle?: boolean;
}

/** A key pair by which the pods of one operation reach each other. */
export interface SshKeys {
  /** In PEM. */
  readonly privateKey: string;
  /** As a line of `authorized_keys`. */
  readonly publicKey: string;
}

/** Objects that the controller has to create before an operation is rendered. */
export interface OperationNeeds {
  /** A key pair, in `facts.sshKeys`. */
  readonly sshKeys?: boolean;
  /**
   * The operation waits for this if the runtime has no workers (`spec.replicas: 0`): a fuse pod that is ready, or nothing. Default: a
   * worker.
   */
  readonly withoutWorkers?: 'fuse' | 'nothing';
}

/**
 * A construct that renders one `OperationJob`, and everything else that the operation needs. Its constructor throws InvalidSpec if the
 * engine cannot do what the operation asks for.
 */
export interface OperationClass<P, K extends OperationKind> {
  new (scope: Construct, plan: P, operation: Operation<K>): Construct;
  /** Fields of the spec that have no effect on this engine. Each becomes a Warning event on the operation when its Job is created. */
  warnings?(operation: Operation<K>, plan: P): readonly Warning[];
  /** Default: nothing. */
  needs?(operation: Pick<Operation<K>, 'spec'>, plan: P): OperationNeeds;
}
/** The operations of an engine. A kind that is absent is not supported. */
export type Operations<P> = { readonly [K in OperationKind]?: OperationClass<P, K> };

/** The pod in which an operation runs, as far as the runtime decides it. `OperationJob` adds the rest. */
export interface OperationProps extends Omit<ComponentProps, 'volumeClaimTemplates'> {
  /**
   * Executable files by name, mounted at `/scripts` in the first container; of a DataProcess, whose own script is the user's, at
   * `/fluid-scripts`. Scripts of other kinds are fixed text: what users write reaches them as arguments or variables, which they quote.
   */
  readonly scripts?: Readonly<Record<string, string>>;
  /** How many failed pods are replaced, as in a Job. Default: 3. */
  readonly backoffLimit?: number;
  /**
   * Absolute path of a file in the first container to which the script writes how far it is, in lines `name=value`: the controller reads it
   * every 10 seconds into `status.infos`. Replace the file by `mv`: the controller may read at any moment.
   * `PROGRESS_SH` does. At its end the script should copy it to `/dev/termination-log`.
   *
   * Engines use these names, each if they know it, and others for what is theirs alone:
   * - `Progress`: how far it is, in the words of a person, at most 40 characters: `3 of 10 files`, `42 %`. It is a column of `kubectl get`
   * - `Step`: what it does at present: `loading /train`
   * - `Files`, `Bytes`: what is done, and of how much if that is known: `12 of 40`, `1.5 GiB of 4 GiB`, in the units of the engine
   * - `Percent`: of the bytes, a whole number without a sign: `42`
   * - `Rate`: what is done in a second: `120 MiB/s`
   */
  readonly progressFile?: string;
  /** Labels of the Job. */
  readonly labels?: Readonly<Record<string, string>>;
}
