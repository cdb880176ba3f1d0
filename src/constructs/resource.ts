import { ApiObject, type ApiObjectMetadata } from 'cdk8s';
import type { Construct } from 'constructs';
import { type CustomResource, faultsOf, GROUP, InvalidSpec, type Static, type TSchema, VERSION } from '../api/index.ts';

/** What a user writes of an object. */
export interface ResourceProps<Spec> {
  /** Default name: from the path of the construct, as everywhere in cdk8s. */
  readonly metadata?: ApiObjectMetadata;
  /** As in YAML; TypeScript and the constructor check it. */
  readonly spec: Spec;
}

/**
 * A construct of one kind, `new JuiceFSRuntime(chart, 'cache', { spec: … })`, typed and checked by the schema of its CRD.
 * @throws InvalidSpec with every fault, when the object is constructed.
 */
export function resourceClass<S extends TSchema>(
  resource: CustomResource<S>,
): new (
  scope: Construct,
  id: string,
  props: ResourceProps<Static<S>>,
) => ApiObject {
  return class extends ApiObject {
    constructor(scope: Construct, id: string, { metadata = {}, spec }: ResourceProps<Static<S>>) {
      super(scope, id, { apiVersion: `${GROUP}/${VERSION}`, kind: resource.kind, metadata, spec });
      const faults = faultsOf(resource, { apiVersion: this.apiVersion, kind: this.kind, metadata: { name: this.name }, spec });
      if (faults.length > 0) throw new InvalidSpec(faults, { object: `${resource.kind} ${this.node.path}` });
    }
  };
}
