import { type CustomResource, InvalidSpec, parse } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';

/** Set by kubectl; the whole object once more, as text. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const faults = new WeakMap<object, InvalidSpec>();
/** What is wrong with an object of ours, where it does not even parse. */
export const faultOf = (object: object): InvalidSpec | undefined => faults.get(object);

/** A custom resource as we keep it: parsed, so that unknown fields are gone as the API server would prune them. */
export function readResource(resource: CustomResource, object: KubeObject): KubeObject {
  const { managedFields: _, annotations, ...kept } = object.metadata;
  const { [LAST_APPLIED]: __, ...noted } = annotations ?? {};
  // Empty where it was not: a JSON Patch must know whether there are any.
  const metadata = { ...kept, ...(annotations && { annotations: noted }) };
  try {
    return { ...object, metadata, spec: (parse(resource, object) as { spec: object }).spec };
  } catch (error) {
    if (!(error instanceof InvalidSpec)) throw error;
    const read: KubeObject = { ...object, metadata, spec: object['spec'] ?? {} };
    faults.set(read, error);
    return read;
  }
}

/** All of a profile that a plan may depend on: its version is no news. */
export const whatMatters = ({ apiVersion, kind, metadata: { name, labels, annotations }, spec }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
  spec,
});
export const isSame = (a: KubeObject, b: KubeObject): boolean => JSON.stringify(whatMatters(a)) === JSON.stringify(whatMatters(b));
