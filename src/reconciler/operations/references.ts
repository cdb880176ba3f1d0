import type { OperationKind, OperationRef, Runtime } from '../../constructs/index.ts';
import { type Key, keyOf, type OperationKey } from '../world.ts';
import type { OperationObject, TargetRef, TargetSpec } from './world.ts';

/** Which Datasets, and which other operations, the spec of an operation names. */

export const operationKeyOf = (object: {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string };
}): OperationKey => ({
  ...keyOf(object),
  // The cast: it is called for operations only.
  kind: object.kind as OperationKind,
});

/**
 * The Datasets of an operation: one, or both of a DataMigrate, the one that is written first. They are in the operation's own namespace:
 * others are refused.
 */
export function datasetsOf(operation: { readonly metadata: { readonly namespace?: string }; readonly spec?: unknown }): readonly Key[] {
  const { dataset, to, from } = (operation.spec ?? {}) as TargetSpec;
  const nameOf = (ref: string | TargetRef | undefined) => (typeof ref === 'string' ? ref : ref?.name) ?? '';
  const names = to || from ? [nameOf(to?.dataset), nameOf(from?.dataset)].filter((name) => name !== '') : [nameOf(dataset)];
  const { namespace = '' } = operation.metadata;
  return (names.length > 0 ? [...new Set(names)] : ['']).map((name) => ({ namespace, name }));
}

/**
 * The Dataset whose runtime does the work: of the type that the operation asks for, else the first that can; the one that is written comes
 * first.
 *
 * @param runtimeOf the runtime of a Dataset, as far as it is known
 */
export function workerOf(
  { kind, spec }: OperationObject,
  datasets: readonly Key[],
  runtimeOf: (dataset: Key) => Pick<Runtime, 'type' | 'operations'> | undefined,
): Key {
  const { runtimeType } = spec as { runtimeType?: string };
  const isFit = (dataset: Key) => {
    const runtime = runtimeOf(dataset);
    return runtimeType ? runtime?.type === runtimeType : runtime?.operations.includes(kind);
  };
  // The cast: an operation is about one Dataset at least.
  return ((datasets.length > 1 && datasets.find(isFit)) || datasets[0]) as Key;
}

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
