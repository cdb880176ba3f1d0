import { createHash } from 'node:crypto';
import { InvalidSpec } from '../api/errors.ts';
import { type Env, env, type Joined, sh, word } from '../api/shell.ts';
import type { Word } from './clients.ts';
import type { WordPart, Secret } from './values.ts';

/** Short, and the same for the same text. */
export const idOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Gives secrets that stand in config.json a path in a directory. */
export function secretsIn(directory: string | undefined) {
  const files: Record<string, string> = {};
  const place = (secret: Secret): string => {
    if ('file' in secret) return secret.file;
    if (directory === undefined)
      throw new InvalidSpec({
        path: `options[${JSON.stringify(secret.option)}]`,
        expected: 'the path of a file of a Secret, or a directory to put the secret in',
        found: 'the secret itself',
      });
    // By its text: a client that runs still finds its own when there is another, and one that is given another is another client.
    const path = `${directory}/secret-${idOf(secret.value)}`;
    files[path] = secret.value;
    return path;
  };
  return { place, files };
}

/** Words of a script; `head` fills with the lines that must come before them, `folder` is where files of the template are. */
export function words(place: (secret: Secret) => string, folder: string) {
  const known = new Map<string, string>();
  const head: string[] = [];
  const variable = (id: string, prefix: string, value: string): Env => {
    const name = known.get(id) ?? `sluice_${prefix}_${known.size + 1}`;
    if (!known.has(id)) head.push(`${name}=${value}`);
    known.set(id, name);
    return env(name);
  };
  const part = (each: WordPart): readonly (string | Env)[] => {
    if (typeof each === 'string') return [each];
    if ('file' in each) return [env('sluice_files'), `${folder}/${each.file}`];
    if ('secret' in each) {
      const path = place(each.secret);
      return [each.asFile ? path : variable(path, 'secret', sh`$(cat ${path})`)];
    }
    const { env: name, fallback } = each;
    // A variable that is set but empty counts as unset, as in `:-`.
    return [variable(JSON.stringify(each), 'env', `\${${name}:${fallback === undefined ? '?is not set' : sh`-${fallback}`}}`)];
  };
  return { head, argument: (parts: Word): Joined => word(...parts.flatMap(part)) };
}
