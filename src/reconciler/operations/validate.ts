import type { Hold } from '../world.ts';
import type { OperationWorld, Refusal } from './world.ts';

/** What is wrong with an operation, so that it can never run. Fluid reports the same reasons. */
export function refusalOf({ operation, key, target, invalid }: OperationWorld): Refusal | undefined {
  if (invalid) return { reason: 'InvalidSpec', message: invalid.message };
  const { dataset } = operation.spec;
  if (!dataset?.name)
    return {
      reason: 'InvalidSpec',
      message: `${key.kind} ${key.namespace}/${key.name}: spec.dataset.name: expected the name of a Dataset, found nothing`,
    };
  // Fluid never finds a Dataset in an empty namespace; this one is what its users mean.
  if (dataset.namespace && dataset.namespace !== key.namespace)
    return {
      reason: 'TargetDatasetNamespaceNotSame',
      message: `${key.kind} ${key.namespace}/${key.name}: spec.dataset.namespace: expected ${target.namespace}, the namespace of the ${key.kind}, found ${dataset.namespace}`,
      event: 'TargetDatasetNamespaceNotSame',
    };
  return undefined;
}

/** What this version does not do yet: the operation waits for one that does. */
export function holdOf({ operation: { spec, kind } }: OperationWorld): Hold | undefined {
  const field = spec.policy && spec.policy !== 'Once' ? `spec.policy ${spec.policy}` : spec.runAfter ? 'spec.runAfter' : undefined;
  return field === undefined ? undefined : { reason: 'NotSupportedYet', message: `${field} of a ${kind} is not supported yet` };
}
