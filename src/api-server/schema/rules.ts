/** x-kubernetes-validations; rule: apiextensions-apiserver's schema/cel. */
import { isMap, type Json, type JsonMap, same } from '../json.ts';
import type { FieldFault } from '../refusals.ts';
import { celValue, compile, type Program } from './cel.ts';
import { invalidValue, WHOLE } from './faults.ts';
import { additionalOf, fieldPath, fieldSchema, indexPath, type StructuralSchema, type ValidationRule } from './structural.ts';

/** The rules of a schema, compiled. */
export interface SchemaRules {
  /** Whether the schema has any. */
  readonly any: boolean;
  /** The faults of an object whose values fit the schema. A value that is unchanged from the old object has none. */
  faults(object: Json, old?: Json): readonly FieldFault[];
}

interface Compiled extends ValidationRule {
  readonly program: Program;
}

/**
 * Compiles the rules of a schema, wherever they are in it. Rules about a change (`oldSelf`) are refused.
 * @throws Error for a rule that `compile` does not know.
 */
export function compileRules(schema: StructuralSchema): SchemaRules {
  const compiled = new Map<StructuralSchema, readonly Compiled[]>();
  /** Whether there are rules at a place or below: what has none is not walked. */
  const rich = new Set<StructuralSchema>();
  const visit = (at: StructuralSchema): boolean => {
    const rules = at['x-kubernetes-validations'] ?? [];
    for (const { rule } of rules) if (/\boldSelf\b/.test(rule)) throw new Error(`expected a rule without oldSelf, found: ${rule}`);
    compiled.set(
      at,
      rules.map((rule) => ({ ...rule, program: compile(rule.rule) })),
    );
    const below = [...Object.values(at.properties ?? {}), at.items, additionalOf(at)].filter((child) => child !== undefined);
    if ([rules.length > 0, ...below.map(visit)].some(Boolean)) rich.add(at);
    return rich.has(at);
  };
  const any = visit(schema);

  function walk(at: StructuralSchema | undefined, value: Json, path: string, old: Json | undefined): readonly FieldFault[] {
    if (!at || !rich.has(at) || value === null || (old !== undefined && same(old, value))) return [];
    const rules = compiled.get(at) ?? [];
    const self = rules.length > 0 && celValue(path === '' ? ofRoot(value) : value, at);
    const own = rules.flatMap((rule) => broken(rule, at, self, path));
    const below = isMap(value)
      ? Object.entries(value).flatMap(([name, child]) => {
          const known = fieldSchema(at, name);
          return walk(known, child, fieldPath(path, name), isMap(old) ? old[name] : undefined);
        })
      : Array.isArray(value)
        ? (value as readonly Json[]).flatMap((entry, index) => walk(at.items, entry, indexPath(path, index), undefined))
        : [];
    return [...own, ...below];
  }
  return { any, faults: (object, old) => walk(schema, object, '', old) };
}

/** Rules see only the name of an object's metadata. */
function ofRoot(value: Json): Json {
  const { name, generateName } = (isMap(value) && isMap(value['metadata']) ? value['metadata'] : {}) as JsonMap;
  return { ...(value as JsonMap), metadata: { ...(name !== undefined && { name }), ...(generateName !== undefined && { generateName }) } };
}

function broken(
  { program, rule, message, fieldPath: below = '', reason }: Compiled,
  { type = '' }: StructuralSchema,
  self: unknown,
  path: string,
): readonly FieldFault[] {
  const field = `${path}${below}`.replace(/^\./, '') || WHOLE;
  const said = message ?? `failed rule: ${rule}`;
  try {
    if (program(self) === true) return [];
  } catch (error) {
    return [invalidValue(field, type, `${(error as Error).message} evaluating rule: ${message ?? rule}`)];
  }
  if (reason === 'FieldValueForbidden') return [{ reason, field, message: `Forbidden: ${said}` }];
  if (reason === 'FieldValueRequired') return [{ reason, field, message: `Required value: ${said}` }];
  return [invalidValue(field, type, said)];
}
