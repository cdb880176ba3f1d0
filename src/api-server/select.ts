import type { Selection } from '../kube/contract.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '../kube/types.ts';
import { parseSelector } from '../kube/selector.ts';
import { badRequest } from './refusals.ts';

/** Whether an object is in a collection as it was asked for. */
export function selectionOf(type: ResourceType, { namespace, labelSelector, fieldSelector }: Selection): (object: KubeObject) => boolean {
  const labels = labelSelector === undefined ? () => true : readSelector(labelSelector);
  const fields = (fieldSelector ?? '').split(',').filter((part) => part !== '');
  const requirements = fields.map((part) => fieldRequirement(type, part));
  return (object) =>
    (!type.namespaced || namespace === undefined || object.metadata.namespace === namespace) &&
    labels(object.metadata.labels ?? {}) &&
    requirements.every((holds) => holds(object));
}

function readSelector(text: string): ReturnType<typeof parseSelector> {
  try {
    return parseSelector(text);
  } catch (error) {
    throw badRequest(`unable to parse requirement: ${(error as Error).message}`);
  }
}

/** Every kind has these two, pods a few more. */
const FIELDS = ['metadata.name', 'metadata.namespace'];
const POD_FIELDS = ['spec.nodeName', 'status.phase', 'spec.serviceAccountName', 'spec.restartPolicy'];

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
const EVENT_FIELDS = [...INVOLVED.map((field) => `involvedObject.${field}`), 'reason', 'reportingComponent', 'source', 'type'];

function fieldRequirement({ kind }: ResourceType, part: string): (object: KubeObject) => boolean {
  const [, path = '', operator, value = ''] = /^([^=!]+?)(!=|==?)(.*)$/.exec(part) ?? [];
  const more = kind === 'Pod' ? POD_FIELDS : kind === 'Event' ? EVENT_FIELDS : [];
  if (!FIELDS.includes(path) && !more.includes(path)) throw badRequest(`field label not supported: ${path || part}`);
  return (object) => (String(valueAt(object, path.split('.')) ?? '') === value) === (operator !== '!=');
}
const valueAt = (value: unknown, [field, ...rest]: readonly string[]): unknown =>
  field === undefined ? value : valueAt((value as Record<string, unknown> | undefined)?.[field], rest);

/** An object as it goes over the wire: a copy, so that no client changes what is stored; `shared` with a client that changes nothing. */
export function answer(type: ResourceType, object: KubeObject, metadataOnly: boolean | undefined, shared = false): KubeObject {
  const { metadata } = object;
  if (shared && !metadataOnly && object.kind === type.kind && object.apiVersion === apiVersionOf(type)) return object;
  const whole = metadataOnly ? { metadata } : object;
  const made = { ...whole, apiVersion: apiVersionOf(type), kind: type.kind } as KubeObject;
  return shared ? made : structuredClone(made);
}
