import { type Fault, InvalidSpec } from '../api/errors.ts';
import type { FuseProgram, Word } from './clients.ts';
import type { Rendered } from './script.ts';
import { secretsIn } from './words.ts';

/**
 * A client's program and arguments, each ended by NUL, as `xargs -0` reads them. `directory` is where secrets of config.json go.
 * @throws InvalidSpec when the client has environment or files, which arguments cannot hold, or needs a variable that is not set.
 * @example
 * const config = parseFuseConfig('{"mounts": [{"mountPoint": "sftp://host/data"}], "targetPath": "/mnt"}');
 * const template = parseMountTemplate('program: sshfs\nargs: ["${mount.source}", "${targetPath}"]');
 * const [client] = clientsOf(template, config);
 * if (client) argvOf(client, process.env).text;
 */
export function argvOf(
  { program, args, env, files }: FuseProgram,
  environment: Readonly<Record<string, string | undefined>>,
  directory?: string,
): Rendered {
  const faults: Fault[] = [];
  const secrets = secretsIn(directory);
  for (const [field, record] of Object.entries({ env, files }))
    if (Object.keys(record).length > 0)
      faults.push({
        path: `template ${field}`,
        expected: 'none, since argv can hold none; --output script can',
        found: Object.keys(record).join(', '),
      });
  const text = (word: Word) =>
    word
      .map((part) => {
        if (typeof part === 'string') return part;
        if ('secret' in part) return secrets.place(part.secret);
        if ('file' in part) return '';
        const value = environment[part.env] || part.fallback;
        if (value === undefined) faults.push({ path: part.env, expected: 'a variable of the environment', found: 'nothing' });
        return value ?? '';
      })
      .join('');
  const argv = [program, ...args.map(text)];
  if (faults.length > 0) throw new InvalidSpec(faults);
  return { text: argv.map((each) => `${each}\0`).join(''), files: secrets.files };
}
