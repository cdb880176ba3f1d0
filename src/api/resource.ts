import type { TSchema } from 'typebox';

/** API group of all kinds of Fluid and Sluice. */
export const GROUP = 'data.fluid.io';
/** API version of all these kinds. */
export const VERSION = 'v1alpha1';

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  /** How `kubectl get` prints the value. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** `.status.fusePhase`. */
  readonly jsonPath: string;
  /** Above 0, only `kubectl get -o wide` shows the column. */
  readonly priority?: number;
}

/** The column of `kubectl get` for the age of an object, the last of most kinds. */
export const ageColumn: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** The part of an object that a rule reads. */
export interface Ruled {
  readonly metadata: { readonly name: string };
  /** The spec as the user wrote it, of any shape. */
  readonly spec: unknown;
}

/**
 * A constraint that the schema of one field cannot express. The API server evaluates it in CEL, `parse` in TypeScript; a test on a real
 * API server compares both.
 */
export interface Rule {
  /** In CEL, on `self`. Absent if the API server checks it already, as it does the names of objects. */
  readonly cel?: string;
  /** The same in TypeScript. It is not called if `path` has another fault; the rest of the spec may have any shape. */
  readonly holds: (object: Ruled) => boolean;
  /** The field at fault: `spec.replicas`. */
  readonly path: string;
  /** The expected value: `at least 0`. */
  readonly expected: string;
}

/** A kind of custom resource. Its CRD, its TypeScript types and its parser come from this one value. */
export interface CustomResource<Spec extends TSchema = TSchema, Status extends TSchema = TSchema> {
  readonly kind: string;
  /** Plural in URLs. Of a runtime: `runtimePlural(type)`, since the node plugin finds the kind by it. */
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  /** Short names for kubectl. */
  readonly shortNames?: readonly string[];
  /** Groups of kinds for kubectl: `kubectl get fluid`. */
  readonly categories?: readonly string[];
  /** Whether objects have a namespace. */
  readonly namespaced: boolean;
  /** Printed by `kubectl explain`. */
  readonly description: string;
  readonly columns?: readonly Column[];
  /**
   * Enables `kubectl scale`. With `selector` an autoscaler can find the pods, by status.selector. Fields of the numbers of wanted and of
   * existing workers: `spec.replicas` and `status.currentWorkerNumberScheduled`, unless it says others.
   */
  readonly scale?: { readonly selector: boolean; readonly wanted?: string; readonly existing?: string };
  /** Whether the status has an endpoint of its own, so that writing it changes no spec. */
  readonly statusSubresource: boolean;
  /** The fields of `spec` stand beside `metadata`, and objects have no status. `parse` returns them as `spec` all the same. */
  readonly flat?: true;
  readonly spec: Spec;
  readonly status: Status;
  readonly rules?: readonly Rule[];
}

/** Kubernetes' owner reference: the object is deleted with its owner. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** The owner manages the object; one owner at most does. */
  readonly controller?: boolean;
  /** A foreground deletion of the owner waits for the object. */
  readonly blockOwnerDeletion?: boolean;
}

/** Metadata that a manifest sets. */
export interface ManifestMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Metadata as the API server returns it. Timestamps are RFC 3339, in UTC. */
export interface ObjectMeta extends ManifestMeta {
  readonly finalizers?: readonly string[];
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
}

/** A whole object to apply. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ManifestMeta;
  readonly [field: string]: unknown;
}

/** An object of a custom resource. */
export interface Resource<Spec = unknown, Status = unknown> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly status?: Status;
}

/** The part of JSON Schema that a CustomResourceDefinition may use. */
export interface Structural {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly anyOf?: readonly { readonly type: 'integer' | 'string' }[];
  readonly properties?: Readonly<Record<string, Structural>>;
  readonly required?: readonly string[];
  readonly items?: Structural;
  readonly additionalProperties?: Structural;
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message: string; readonly fieldPath?: string }[];
}
