import type { Structural } from './resource.ts';

const text: Structural = { type: 'string' };
const texts: Structural = { type: 'object', additionalProperties: text };
const anything: Structural = { 'x-kubernetes-preserve-unknown-fields': true };

export const namespacePattern = '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$';

/** Metadata of any object, as far as a user can get it wrong. A CRD may not describe it; the API server checks it by itself. */
export const metadataSchema: Structural = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { ...text, minLength: 1 },
    namespace: { ...text, pattern: namespacePattern },
    generateName: text,
    labels: texts,
    annotations: texts,
    finalizers: { type: 'array', items: text },
    ownerReferences: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    uid: text,
    resourceVersion: text,
    generation: { type: 'integer' },
    creationTimestamp: anything,
    deletionTimestamp: anything,
    deletionGracePeriodSeconds: anything,
    managedFields: anything,
    selfLink: text,
  },
};
