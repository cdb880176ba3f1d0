import type { KubeObject, ResourceType } from '../kube/types.ts';
import { isMap, type Json, same } from './json.ts';
import { isBuiltIn } from './kinds.ts';
import type { FieldFault } from './refusals.ts';

const STATEFUL_SET_MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const VOLUME_SOURCES = ['csi', 'hostPath', 'nfs', 'local', 'fc', 'iscsi'];
const POD_MUTABLE = ['activeDeadlineSeconds', 'tolerations', 'terminationGracePeriodSeconds'];

/** Fields of an object that can never change, in the words of the API server's validation. */
export function immutableFaults(type: ResourceType, before: KubeObject, after: KubeObject): readonly FieldFault[] {
  if (!isBuiltIn(type)) return [];
  const [old, now] = [specOf(before), specOf(after)];
  switch (type.kind) {
    case 'StatefulSet':
      return same(without(old, STATEFUL_SET_MUTABLE), without(now, STATEFUL_SET_MUTABLE))
        ? []
        : [
            forbidden(
              'spec',
              "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
            ),
          ];
    case 'DaemonSet':
    case 'Deployment':
      return same(old['selector'], now['selector'])
        ? []
        : [{ reason: 'FieldValueInvalid', field: 'spec.selector', message: `Invalid value: ${text(now['selector'])}: field is immutable` }];
    case 'Job':
      return same(old['template'], now['template'])
        ? []
        : [{ reason: 'FieldValueInvalid', field: 'spec.template', message: `Invalid value: ${text(now['template'])}: field is immutable` }];
    case 'PersistentVolume': {
      const faults: FieldFault[] = [];
      if (!same(only(old, VOLUME_SOURCES), only(now, VOLUME_SOURCES)))
        faults.push(forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation'));
      if (old['volumeMode'] !== now['volumeMode'])
        faults.push({
          reason: 'FieldValueInvalid',
          field: 'spec.volumeMode',
          message: `Invalid value: ${text(now['volumeMode'])}: field is immutable`,
        });
      return faults;
    }
    case 'PersistentVolumeClaim': {
      // A claim that is not bound yet may be given its volume, and a bound one may ask for more.
      const mutable = old['volumeName'] ? ['resources'] : ['volumeName'];
      return same(without(old, mutable), without(now, mutable))
        ? []
        : [forbidden('spec', 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims')];
    }
    case 'RoleBinding':
      return same(before['roleRef'] as Json, after['roleRef'] as Json)
        ? []
        : [
            {
              reason: 'FieldValueInvalid',
              field: 'roleRef',
              message: `Invalid value: ${text(after['roleRef'] as Json)}: cannot change roleRef`,
            },
          ];
    case 'ConfigMap':
    case 'Secret':
      return [...typeFaults(before['type'] as Json, after['type'] as Json), ...dataFaults(before, after)];
    case 'Pod':
      return same(podSpec(old), podSpec(now))
        ? []
        : [
            forbidden(
              'spec',
              'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
            ),
          ];
    default:
      return [];
  }
}

/** Faults of a Secret's type; a ConfigMap has none. */
const typeFaults = (before: Json | undefined, after: Json | undefined): readonly FieldFault[] =>
  before === after ? [] : [{ reason: 'FieldValueInvalid', field: 'type', message: `Invalid value: ${text(after)}: field is immutable` }];
const dataFaults = (before: KubeObject, after: KubeObject): readonly FieldFault[] =>
  before['immutable'] === true && !same(before['data'] as Json, after['data'] as Json)
    ? [forbidden('data', 'field is immutable when `immutable` is set')]
    : [];
const forbidden = (field: string, why: string): FieldFault => ({ reason: 'FieldValueForbidden', field, message: `Forbidden: ${why}` });
const text = (value: Json | undefined): string => JSON.stringify(value ?? null);
type Spec = Readonly<Record<string, Json>>;
// Wire data: every spec that was sent is JSON.
const specOf = (object: KubeObject): Spec => (object['spec'] ?? {}) as Spec;
const without = (spec: Spec, fields: readonly string[]): Spec =>
  Object.fromEntries(Object.entries(spec).filter(([field]) => !fields.includes(field)));
const only = (spec: Spec, fields: readonly string[]): Spec =>
  Object.fromEntries(Object.entries(spec).filter(([field]) => fields.includes(field)));

const podSpec = (spec: Spec): Spec => {
  const rest = without(spec, [...POD_MUTABLE, ...(spec['nodeName'] ? [] : ['nodeName'])]);
  const imageless = (list: Json | undefined) =>
    Array.isArray(list) ? (list as readonly Json[]).map((each) => (isMap(each) ? { ...each, image: '' } : each)) : (list ?? null);
  return { ...rest, nodeName: '', containers: imageless(rest['containers']), initContainers: imageless(rest['initContainers']) };
};
