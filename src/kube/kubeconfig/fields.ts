import { shown } from '../../api/index.ts';
import { isRecord } from '../../api/is-record.ts';

/** An object of a kubeconfig; each error names the file and the field. */
export interface KubeconfigFields {
  /** `<file>: users[aws].user.exec.command`, for an error about it. */
  where(name: string): string;
  text(name: string): string | undefined;
  flag(name: string): boolean;
  texts(name: string): readonly string[];
  object(name: string): KubeconfigFields | undefined;
  objects(name: string): readonly KubeconfigFields[];
  keys(): readonly string[];
  value(name: string): unknown;
}

/** Absent and null are one, as in Go. @throws Error if the value is no object */
export function fieldsOf(value: unknown, here: string): KubeconfigFields {
  if (!isRecord(value)) throw new Error(`${here}: expected an object, found ${shown(value)}`);
  const where = (name: string) => `${here}.${name}`.replace(/: \./, ': ');
  function read<T>(name: string, expected: string, matches: (found: unknown) => found is T): T | undefined {
    const found = (value as Record<string, unknown>)[name] ?? undefined;
    if (found !== undefined && !matches(found)) throw new Error(`${where(name)}: expected ${expected}, found ${kindOf(found)}`);
    return found;
  }
  return {
    where,
    text: (name) => read(name, 'a string', isText) || undefined,
    flag: (name) => read(name, 'true or false', (found): found is boolean => typeof found === 'boolean') ?? false,
    texts: (name) => read(name, 'a list of strings', (found): found is string[] => Array.isArray(found) && found.every(isText)) ?? [],
    object(name) {
      const found = read(name, 'an object', isRecord);
      return found && fieldsOf(found, where(name));
    },
    objects(name) {
      const list = read(name, 'a list', (found): found is unknown[] => Array.isArray(found)) ?? [];
      return list.map((each, i) => {
        const { name: title } = isRecord(each) ? each : {};
        return fieldsOf(each, `${where(name)}[${isText(title) ? title : i}]`);
      });
    },
    keys: () => Object.keys(value),
    value: (name) => value[name] ?? undefined,
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
/** A value may be a secret at the wrong place, so it is not quoted. */
const kindOf = (value: unknown): string => (Array.isArray(value) ? 'a list' : isRecord(value) ? 'an object' : `a ${typeof value}`);
