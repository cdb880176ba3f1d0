import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { type KubeconfigFields, fieldsOf } from './fields.ts';

/** An entry of a kubeconfig, with the folder of its file, from which its paths lead. */
export interface KubeconfigEntry {
  readonly fields: KubeconfigFields;
  readonly folder: string;
}
export interface Chosen {
  /** The name of the context. */
  readonly context: string;
  readonly cluster: KubeconfigEntry;
  /** Absent if the context names none: then requests are anonymous. */
  readonly user: KubeconfigEntry | undefined;
  readonly namespace: string | undefined;
}

/**
 * A context of one kubeconfig or of several. Of entries with one name the first file's counts, as for kubectl.
 *
 * @param files one alone has to exist; where there are several, those that do not are passed over
 * @throws Error that names file and field
 */
export function chooseContext(files: readonly string[], wanted: string | undefined): Chosen {
  const configs = files.flatMap((file) => {
    const text = read(file, files.length > 1);
    return text === undefined ? [] : [{ file, folder: dirname(resolve(file)), fields: fieldsOf(yamlIn(file, text) ?? {}, `${file}: `) }];
  });
  const all = (list: string, name: string): Map<string, KubeconfigEntry> => {
    const entries = configs.flatMap(({ folder, fields }) =>
      fields
        .objects(list)
        .map((each): [string, KubeconfigEntry] => [
          each.text('name') ?? '',
          { folder, fields: each.object(name) ?? fieldsOf({}, each.where(name)) },
        ]),
    );
    return new Map(entries.toReversed());
  };
  const names = files.join(', ');
  const contexts = all('contexts', 'context');
  const current = wanted ?? configs.map(({ fields }) => fields.text('current-context')).find((each) => each !== undefined);
  if (current === undefined) throw new Error(`${names}: current-context: expected the name of a context, found nothing`);
  const context = contexts.get(current)?.fields;
  if (!context) throw new Error(`${names}: expected a context named ${current}, found ${[...contexts.keys()].join(', ') || 'none'}`);
  const named = <T>(field: string, entries: Map<string, T>): T | undefined => {
    const name = context.text(field);
    if (name === undefined) return undefined;
    const entry = entries.get(name);
    if (!entry) throw new Error(`${context.where(field)}: expected one of ${[...entries.keys()].join(', ') || 'none'}, found ${name}`);
    return entry;
  };
  const cluster = named('cluster', all('clusters', 'cluster'));
  if (!cluster) throw new Error(`${context.where('cluster')}: expected the name of a cluster, found nothing`);
  return { context: current, cluster, user: named('user', all('users', 'user')), namespace: context.text('namespace') };
}

function read(file: string, mayBeAbsent: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (mayBeAbsent && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file}: expected a file that can be read, found: ${(error as Error).message}`, { cause: error });
  }
}

function yamlIn(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    // The first line only: what follows quotes the file, which may have secrets.
    throw new Error(`${file}: expected YAML, found: ${(error as Error).message.split('\n')[0]}`, { cause: error });
  }
}
