/** The fields that Kubernetes' registries give a new object, beside defaults: values that only the server knows, such as an address. */
import type { KubeObject, ResourceType } from '../kube/types.ts';
import type { JsonMap } from './json.ts';
import { isBuiltIn } from './kinds.ts';
import { addressOf } from './pods.ts';

/** A new object with what its registry gives it. Rule: `PrepareForCreate` of a kind's strategy; nobody owns these fields. */
export function prepared(type: ResourceType, object: KubeObject): KubeObject {
  if (!isBuiltIn(type)) return object;
  switch (type.kind) {
    case 'Job':
      return withSelector(object);
    case 'Namespace':
      return { ...object, spec: { finalizers: ['kubernetes'], ...specOf(object) } };
    case 'Service':
      return withAddress(object);
    default:
      return object;
  }
}

/** A Service keeps its addresses, even if a client replaces it without them. */
export function withKeptAddresses(type: ResourceType, live: KubeObject, next: KubeObject): KubeObject {
  if (type.kind !== 'Service' || !isBuiltIn(type)) return next;
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = specOf(live);
  const own = Object.entries({ clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy }).filter(([, value]) => value !== undefined);
  const spec = specOf(next);
  return own.every(([field]) => spec[field] !== undefined) ? next : { ...next, spec: { ...Object.fromEntries(own), ...spec } };
}

const specOf = (object: KubeObject): JsonMap => (object['spec'] ?? {}) as JsonMap;

/** Rule: `generateSelector` of pkg/registry/batch/job/strategy.go. A Job without labels has those of its template, whenever it is read. */
function withSelector(job: KubeObject): KubeObject {
  const spec = specOf(job);
  if (spec['manualSelector'] === true) return job;
  const { name, uid = '' } = job.metadata;
  const template = (spec['template'] ?? {}) as { readonly metadata?: { readonly labels?: JsonMap } };
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
    ...template.metadata?.labels,
  };
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  const { labels: given = {} } = job.metadata;
  const own = Object.keys(given).length > 0 ? given : (labels as Readonly<Record<string, string>>);
  return {
    ...job,
    metadata: { ...job.metadata, labels: own },
    spec: { selector, ...spec, template: { ...template, metadata: { ...template.metadata, labels } } },
  };
}

function withAddress(service: KubeObject): KubeObject {
  const spec = specOf(service);
  if (spec['type'] === 'ExternalName') return service;
  const { clusterIP = addressOf(service, '10.96') } = spec;
  return { ...service, spec: { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', clusterIP, clusterIPs: [clusterIP], ...spec } };
}
