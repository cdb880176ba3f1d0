import type { Construct } from 'constructs';
import type { Affinity, ResourceRequirements, Toleration } from '../../api/index.ts';
import type { Facts, PodFact } from './input.ts';
import type { ComponentProps } from './pod.ts';

/** What can be done with the data of a Dataset; each is a kind of which users make objects. */
export type OperationKind = 'DataLoad' | 'DataMigrate' | 'DataProcess' | 'DataBackup';

/** What users may say of an operation of any kind. Nothing in it is what a shell may read. */
export interface OperationSpec {
  /** Default: Once. With Cron there is a schedule. */
  readonly policy?: 'Once' | 'Cron' | 'OnEvent';
  readonly schedule?: string;
  /** Of its pod. */
  readonly podMetadata?: { readonly labels?: Readonly<Record<string, string>>; readonly annotations?: Readonly<Record<string, string>> };
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly schedulerName?: string;
  /** Of its first container. */
  readonly resources?: ResourceRequirements;
}
export interface LoadSpec extends OperationSpec {
  readonly loadMetadata?: boolean;
  /** Default: all of it, once. */
  readonly target?: readonly { readonly path: string; readonly replicas?: number }[];
  readonly options?: Readonly<Record<string, string>>;
}
/** What each kind has besides comes with the kind. */
export interface OperationSpecs {
  readonly DataLoad: LoadSpec;
  readonly DataMigrate: OperationSpec;
  readonly DataProcess: OperationSpec;
  readonly DataBackup: OperationSpec;
}

/** One operation, as a user asked for it, on a Dataset that is bound. */
export interface Operation<K extends OperationKind = OperationKind> {
  readonly kind: K;
  readonly name: string;
  readonly namespace: string;
  /** Owner of all that is made for it. */
  readonly uid: string;
  readonly spec: OperationSpecs[K];
  readonly facts: OperationFacts;
}
/** As it is when the operation starts. What a schedule starts again and again should be made of none of it. */
export interface OperationFacts {
  readonly pods: Facts['pods'];
  /** Where the engine has a `leader`: the pod that leads; while none does, the operation waits. */
  readonly leader?: PodFact;
}

/** Renders one `OperationJob`, and whatever else the operation needs. Throws InvalidSpec where it cannot be done. */
export type OperationClass<P, K extends OperationKind> = new (scope: Construct, plan: P, operation: Operation<K>) => Construct;
/** A kind that is absent is not supported. */
export type Operations<P> = { readonly [K in OperationKind]?: OperationClass<P, K> };

/** What a runtime says of the pod in which an operation runs; all else is the same for every runtime. */
export interface OperationProps extends Omit<ComponentProps, 'volumeClaimTemplates'> {
  /**
   * Files in `/scripts` of the first container, which it can run; of a DataProcess, whose script is the user's own, in `/fluid-scripts`. Any
   * other is fixed text: what users write reaches it as arguments or variables, which it quotes.
   */
  readonly scripts?: Readonly<Record<string, string>>;
  /** How often a pod that failed is followed by another. Default 3. */
  readonly backoffLimit?: number;
  /** Of the Job. */
  readonly labels?: Readonly<Record<string, string>>;
}
