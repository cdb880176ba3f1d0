import { annotation, Dataset, datasetId, GROUP, type Identity, label, runtimeFinalizer, VERSION } from '../api/index.ts';
import type { Runtime } from '../constructs/index.ts';
import type { KubeObject } from '../kube/types.ts';
import { identityRecord } from './identity.ts';

/** The runtime that is created for a Dataset that refers to another one, with all that is marked on a runtime: no further write is needed. */
export const referenceRuntime = (
  { type, resource: { kind }, forReferences }: Pick<Runtime, 'type' | 'resource' | 'forReferences'>,
  identity: Identity,
): KubeObject =>
  ({
    apiVersion: `${GROUP}/${VERSION}`,
    kind,
    metadata: {
      name: identity.name,
      namespace: identity.namespace,
      finalizers: [runtimeFinalizer(type)],
      labels: { [label.datasetId]: datasetId(identity) },
      annotations: { [annotation.identity]: identityRecord(identity.uid, identity) },
      // As Fluid writes it: the Dataset controls its runtime.
      ownerReferences: [
        { apiVersion: `${GROUP}/${VERSION}`, kind: Dataset.kind, name: identity.name, uid: identity.uid, controller: true },
      ],
    },
    spec: { ...forReferences?.spec },
  }) as KubeObject;
