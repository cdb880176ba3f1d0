/** Replicas of kinds with the scale subresource; rule: apiextensions-apiserver's registry/customresource/validator.go. */
import type { ScalePaths } from '../definition.ts';
import { isMap, type Json } from '../json.ts';
import type { FieldFault } from '../refusals.ts';
import { invalidValue } from './faults.ts';
import { goText, goType } from './go.ts';

const MOST = 2 ** 31 - 1;

/** The faults of the wanted and the existing replicas. */
export function scaleFaults(
  { specReplicasPath, statusReplicasPath }: ScalePaths,
  object: Json,
  part: 'all' | 'status',
): readonly FieldFault[] {
  return [...(part === 'all' ? [specReplicasPath] : []), statusReplicasPath].flatMap((path) => replicasFaults(path, object));
}

function replicasFaults(path: string, object: Json): readonly FieldFault[] {
  const unreadable = (value: Json, expected: string) => [
    invalidValue(path, 0, `${path} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`),
  ];
  let value: Json = object;
  for (const name of path.split('.').slice(1)) {
    if (!isMap(value)) return unreadable(value, 'map[string]interface{}');
    const child: Json | undefined = value[name];
    if (child === undefined) return [];
    value = child;
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) return unreadable(value, 'int64');
  if (value < 0) return [invalidValue(path, value, 'should be a non-negative integer')];
  return value > MOST ? [invalidValue(path, value, `should be less than or equal to ${MOST}`)] : [];
}
