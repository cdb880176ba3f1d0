import type { TSchema } from 'typebox';

export const GROUP = 'data.fluid.io';
export const VERSION = 'v1alpha1';

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly jsonPath: string;
  /** Above 0 the column is shown only with `-o wide`. */
  readonly priority?: number;
}

/** What a rule sees of an object. */
export interface Ruled {
  readonly metadata: { readonly name: string };
  readonly spec: unknown;
}

/** A constraint that a field's own schema cannot say, told twice: to the API server in CEL, to `parse` in TypeScript. A cluster test holds them together. */
export interface Rule {
  /** Absent where the API server knows by itself. */
  readonly cel?: string;
  /** Not asked when something is wrong at `path` already; the rest of the spec may be anything. */
  readonly holds: (object: Ruled) => boolean;
  readonly path: string;
  readonly expected: string;
}

/** A kind of custom resource: one value gives its CRD, its TypeScript types and its parser. */
export interface CustomResource<Spec extends TSchema = TSchema, Status extends TSchema = TSchema> {
  readonly kind: string;
  /** Of a runtime: `runtimePlural` of its name, by which the node plugin finds it. */
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  readonly description: string;
  readonly columns?: readonly Column[];
  /** `kubectl scale` on spec.replicas; `selector` as well lets an HPA find the pods. */
  readonly scale?: { readonly selector: boolean };
  readonly statusSubresource: boolean;
  readonly spec: Spec;
  readonly status: Status;
  readonly rules?: readonly Rule[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Metadata as we write it. */
export interface ManifestMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Metadata as the API server gives it; what it has not filled in yet is absent. */
export interface ObjectMeta extends ManifestMeta {
  readonly finalizers?: readonly string[];
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
}

/** Any object we write, whole. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ManifestMeta;
  readonly [field: string]: unknown;
}

/** One object of a custom resource. */
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
