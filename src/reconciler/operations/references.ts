import type { OperationRef } from '../../constructs/index.ts';
import type { OperationKey } from '../world.ts';
import type { OperationObject } from './world.ts';

/** Which other operations the spec of an operation names. */

/** The operation of `spec.runAfter`. */
export const runAfterOf = (operation: OperationObject): OperationKey | undefined => keyOfRef(operation, operation.spec.runAfter);
/** The operation where this one asks to run. */
export const nearOf = (operation: OperationObject): OperationKey | undefined =>
  operation.spec.runAfter?.affinityStrategy?.policy
    ? (keyOfRef(operation, operation.spec.runAfter.affinityStrategy.dependOn) ?? runAfterOf(operation))
    : undefined;

const keyOfRef = ({ metadata }: OperationObject, ref: OperationRef | undefined): OperationKey | undefined =>
  ref?.kind && ref.name ? { kind: ref.kind, name: ref.name, namespace: ref.namespace || (metadata.namespace ?? '') } : undefined;

/** `DataLoad ml/first` */
export const words = ({ kind, namespace, name }: OperationKey): string => `${kind} ${namespace}/${name}`;
/** The operation of `spec.runAfter`, in words. */
export function runAfterText(operation: OperationObject): string | undefined {
  const key = runAfterOf(operation);
  return key && words(key);
}
