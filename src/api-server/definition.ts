import type { ResourceType } from '../kube/types.ts';
import type { StructuralSchema } from './schema/structural.ts';

/** The part of a CustomResourceDefinition's spec that the server reads; format: apiextensions/v1 CustomResourceDefinitionSpec. */
export interface DefinitionSpec {
  readonly group: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly names: {
    readonly kind: string;
    readonly plural: string;
    readonly singular?: string;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  };
  readonly versions: readonly DefinedVersion[];
}

export interface DefinedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
  readonly subresources?: { readonly status?: object; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
}

/** Where replicas stand in an object, such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A column of `kubectl get` that a CustomResourceDefinition asks for. */
export interface PrinterColumn {
  readonly name: string;
  /** `string`, `integer`, `number`, `boolean` or `date`. */
  readonly type: string;
  /** Where the value is, in the dialect of kubectl: `.status.conditions[?(@.type=="Ready")].status`. */
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  /** Above 0, only `kubectl get -o wide` shows the column. */
  readonly priority?: number;
}

/** The spec of a CustomResourceDefinition, as a file under crds/ has it. Its shape is checked when it is written. */
export const definitionSpec = (crd: object): DefinitionSpec => (crd as { readonly spec: DefinitionSpec }).spec;

/** The version of a definition that defines a type; undefined where none does. */
export function definedVersion(crds: readonly object[], { group, version, plural }: ResourceType): DefinedVersion | undefined {
  const spec = crds.map(definitionSpec).find((each) => each.group === group && each.names.plural === plural);
  return spec?.versions.find(({ name }) => name === version);
}
