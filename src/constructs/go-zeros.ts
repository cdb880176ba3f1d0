/**
 * Fluid's controllers are written in Go, and write fields that nobody said into specs: `pin: false`, `initUsers: { resources: {} }`. A warning
 * that such a field has no effect would be news to its user.
 */

/** A field that is empty as a rule, and says all the same where a volume is. */
const EMPTY_DIR = 'emptyDir';

/** One step of a path: `.name`, `[0]`, `[name]` or `["name"]`. */
const STEP = /\.([\w-]+)|\[("(?:[^"\\]|\\.)*"|[^\]]*)\]/y;

/** The value at the path that a message begins with; undefined if there is nothing, or the text is no path. */
function valueAt(root: unknown, message: string): unknown {
  const start = /^(?:Dataset: )?spec/.exec(message);
  if (!start) return undefined;
  let value = root;
  let at = start[0].length;
  for (;;) {
    STEP.lastIndex = at;
    const step = STEP.exec(message);
    if (!step) break;
    const [text, name, key = ''] = step;
    const field = name ?? (key.startsWith('"') ? key.slice(1, -1) : key);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
    // Somebody wrote an entry of a map, whatever its value is.
    if ((name === undefined && !Array.isArray(value)) || field === EMPTY_DIR) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[field];
    at += text.length;
  }
  return message.startsWith(': ', at) ? value : undefined;
}

/** Whether a value, or its absence, is what Go has for a field that nobody set. */
export const isGoZero = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return !value;
  return Object.entries(value).every(([name, each]) => name !== EMPTY_DIR && isGoZero(each));
};

/**
 * The warnings without those that a field has no effect which has Go's value of a field that nobody set: `{}`, `[]`, false, 0, '' or null, and
 * objects of nothing else. A field that is absent can be warned of, and a warning of another reason stays.
 *
 * @param specs of the runtime, and of its Dataset, whose warnings begin with `Dataset: `
 */
export const ofSaidFields = <W extends { readonly reason: string; readonly message: string }>(
  warnings: readonly W[],
  { spec, dataset }: { readonly spec: unknown; readonly dataset?: unknown },
): readonly W[] =>
  warnings.filter(({ reason, message }) => {
    if (reason !== 'SpecPartlyIgnored') return true;
    const value = valueAt(message.startsWith('Dataset: ') ? dataset : spec, message);
    return value === undefined || !isGoZero(value);
  });
