import { ApiObject, type ApiObjectMetadata, JsonPatch } from 'cdk8s';
import type { Construct } from 'constructs';
import { type CustomResource, faultsOf, GROUP, InvalidSpec, type Static, type TSchema, VERSION } from '../api/index.ts';

/** The fields of an object that a user writes. */
export interface ResourceProps<Spec> {
  /** Default name: from the path of the construct, as everywhere in cdk8s. */
  readonly metadata?: ApiObjectMetadata;
  /** As in YAML; TypeScript and the constructor check it. */
  readonly spec: Spec;
}

/** The same of an object whose fields stand beside its metadata. */
export type FlatResourceProps<Spec> = Spec & Pick<ResourceProps<Spec>, 'metadata'>;

/**
 * A construct of one kind, `new JuiceFSRuntime(chart, 'cache', { spec: … })`, typed and checked by the schema of its CRD.
 * @throws InvalidSpec with every fault, when the object is constructed.
 */
export function resourceClass<S extends TSchema>(resource: CustomResource<S>): ResourceClass<ResourceProps<Static<S>>> {
  return class extends ApiObject {
    constructor(scope: Construct, id: string, { metadata = {}, spec }: ResourceProps<Static<S>>) {
      super(scope, id, { apiVersion: `${GROUP}/${VERSION}`, kind: resource.kind, metadata, spec });
      leaveNamespace(this, resource, metadata);
      check(this, resource, { spec });
    }
  };
}

/**
 * The same of a kind whose fields stand beside its metadata, `new CacheRuntimeClass(chart, 'moosefs', { topology: … })`.
 * @throws InvalidSpec with every fault, when the object is constructed.
 */
export function flatResourceClass<S extends TSchema>(
  resource: CustomResource<S> & { readonly flat: true },
): ResourceClass<FlatResourceProps<Static<S>>> {
  return class extends ApiObject {
    constructor(scope: Construct, id: string, { metadata = {}, ...fields }: FlatResourceProps<Static<S>>) {
      super(scope, id, { apiVersion: `${GROUP}/${VERSION}`, kind: resource.kind, metadata, ...fields });
      leaveNamespace(this, resource, metadata);
      check(this, resource, fields);
    }
  };
}

/** cdk8s gives every object the namespace of its chart; one that is cluster-scoped has none, unless its author wrote one. */
function leaveNamespace(object: ApiObject, { namespaced }: CustomResource, { namespace }: ApiObjectMetadata): void {
  if (!namespaced && namespace === undefined && object.metadata.namespace !== undefined)
    object.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
}

type ResourceClass<Props> = new (scope: Construct, id: string, props: Props) => ApiObject;

function check({ apiVersion, kind, name, node }: ApiObject, resource: CustomResource, fields: object): void {
  const faults = faultsOf(resource, { apiVersion, kind, metadata: { name }, ...fields });
  if (faults.length > 0) throw new InvalidSpec(faults, { object: `${kind} ${node.path}` });
}
