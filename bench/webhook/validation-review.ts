/** The request of an API server: an edit of a Dataset, or of its runtime, with managed fields as `kubectl apply` leaves them. */
import { pair } from '../objects.ts';
import type { Place } from './world.ts';

const STAMP = { creationTimestamp: '2026-01-01T00:00:00Z', generation: 2, uid: '5c2f7c6e-2b1a-4d0e-9b67-0f6b3a1d2c01' };
const managedBy = (spec: object) => [
  {
    manager: 'kubectl-client-side-apply',
    operation: 'Update',
    apiVersion: 'data.fluid.io/v1alpha1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': { 'f:annotations': {} }, 'f:spec': Object.fromEntries(Object.keys(spec).map((key) => [`f:${key}`, {}])) },
  },
];

/** @param i even: of the Dataset; odd: of the runtime */
export function editOf({ namespace, name }: Place, uid: string, i: number) {
  const { dataset, runtime } = pair('juicefs', namespace, name);
  const edited = i % 2 === 0 ? dataset : runtime;
  const spec = edited['spec'] as object;
  const metadata = { ...edited.metadata, ...STAMP, managedFields: managedBy(spec) };
  const [kind, plural] = [edited.kind, `${edited.kind.toLowerCase()}s`];
  const resource = { group: 'data.fluid.io', version: 'v1alpha1', resource: plural };
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind: { group: 'data.fluid.io', version: 'v1alpha1', kind },
      resource,
      requestKind: { group: 'data.fluid.io', version: 'v1alpha1', kind },
      requestResource: resource,
      name,
      namespace,
      operation: 'UPDATE',
      userInfo: { username: 'system:admin', groups: ['system:masters', 'system:authenticated'] },
      object: { ...edited, metadata },
      oldObject: { ...edited, metadata, spec: { ...spec, ...(i % 2 === 0 ? { placement: 'Exclusive' } : { replicas: 7 }) } },
      dryRun: false,
      options: { kind: 'PatchOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'kubectl-client-side-apply' },
    },
  };
}
