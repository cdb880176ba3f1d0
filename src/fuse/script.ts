import { InvalidSpec } from '../api/errors.ts';
import { env, type Joined, sh, word } from '../api/shell.ts';
import type { FuseProgram, Word } from './clients.ts';
import { HEAD, SUPERVISOR, UNTIL_ENDED, untilNews } from './supervisor.ts';
import type { Secret } from './values.ts';
import { idOf, secretsIn, words } from './words.ts';

/** A text, and the files that it refers to. */
export interface Rendered {
  /** A script, arguments or variables. */
  readonly text: string;
  /** Contents by absolute path. Only the client's user may read them: secrets of config.json are among them. */
  readonly files: Readonly<Record<string, string>>;
}

/** In the directory of a script that realigns: a line in it is a reason to read the clients again. */
export const NEWS = 'news';

/**
 * A program in POSIX sh that runs the clients. One client replaces the shell, so that signals reach it. Of several, each is restarted when
 * it ends, and all are stopped on SIGTERM. Secrets are read when the script runs; those of config.json go into files in `directory`.
 * @throws InvalidSpec when config.json holds a secret and `directory` is absent.
 * @example
 * const config = parseFuseConfig('{"mounts": [{"mountPoint": "sftp://host/data"}], "targetPath": "/mnt"}');
 * const template = parseMountTemplate('program: sshfs\nargs: ["${mount.source}", "${targetPath}"]');
 * const { text, files } = mountScript(clientsOf(template, config));
 */
export function mountScript(clients: readonly FuseProgram[], directory?: string): Rendered {
  const { place, files } = secretsIn(directory);
  const [only, ...others] = clients;
  const run = only && others.length === 0 ? linesOf(only, place) : [SUPERVISOR, ...functions(clients, place), UNTIL_ENDED];
  return { text: `${[HEAD, ...filesFolder(clients), ...run].join('\n')}\n`, files };
}

/**
 * The same for clients that change while it runs: they are in a file of their own in `directory`. After a line in `<directory>/news` the
 * script stops clients that are gone or changed, then starts new ones. Other clients keep running.
 * @throws InvalidSpec when a client cannot be written as a script.
 * @example
 * const config = parseFuseConfig('{"mounts": [{"mountPoint": "sftp://host/data"}], "targetPath": "/mnt"}');
 * const template = parseMountTemplate('program: sshfs\nargs: ["${mount.source}", "${targetPath}"]');
 * const { text, files } = realigningScript(clientsOf(template, config), '/run/acme');
 */
export function realigningScript(clients: readonly FuseProgram[], directory: string): Rendered {
  const { place, files } = secretsIn(directory);
  const path = `${directory}/clients.sh`;
  const text = [...filesFolder(clients), ...functions(clients, place)].join('\n');
  const run = untilNews(sh`. ${path}`, sh`${`${directory}/${NEWS}`}`);
  return { text: `${[HEAD, SUPERVISOR, run].join('\n')}\n`, files: { ...files, [path]: `${text}\n` } };
}

/**
 * The client's environment alone, as assignments that a shell reads: `. ./mount.env`.
 * @throws InvalidSpec when the client has files, or config.json holds a secret and `directory` is absent.
 * @example
 * const config = parseFuseConfig('{"mounts": [{"mountPoint": "sftp://host/data"}], "targetPath": "/mnt"}');
 * const template = parseMountTemplate('program: sshfs\nargs: ["${mount.source}", "${targetPath}"]');
 * const [client] = clientsOf(template, config);
 * if (client) envFile(client).text;
 */
export function envFile({ env: variables, files: written }: FuseProgram, directory?: string): Rendered {
  const { place, files } = secretsIn(directory);
  if (Object.keys(written).length > 0)
    throw new InvalidSpec({
      path: 'template files',
      expected: 'none for --output env; --output script has them',
      found: Object.keys(written).join(', '),
    });
  const { head, argument } = words(place, '');
  const exports = exported(variables, argument);
  return { text: [...head, ...exports].map((line) => `${line}\n`).join(''), files };
}

/** Made when it is first needed, and in memory of the shell that runs all clients. */
const filesFolder = (clients: readonly FuseProgram[]): readonly string[] =>
  clients.some(({ files }) => Object.keys(files).length > 0) ? ['sluice_files=${sluice_files:-$(mktemp -d)}'] : [];

/** The commands that one client needs, and at last the client itself. */
function linesOf({ target, program, args, env: variables, files }: FuseProgram, place: (secret: Secret) => string): readonly string[] {
  const folder = `/${idOf(target)}`;
  const { head, argument } = words(place, folder);
  const exports = exported(variables, argument);
  const written = Object.entries(files).map(
    ([name, text]) => sh`(umask 077 && printf %s ${argument(text)} > ${argument([{ file: name }])})`,
  );
  const call = sh`exec ${program} ${args.map(argument)}`;
  return [
    ...head,
    ...(written.length > 0 ? [sh`mkdir -p ${word(env('sluice_files'), folder)}`, ...written] : []),
    sh`detach ${escaped(target)} ${target}`,
    sh`mkdir -p ${target}`,
    ...exports,
    call.trimEnd(),
  ];
}

const exported = (variables: Readonly<Record<string, Word>>, argument: (parts: Word) => Joined): readonly string[] =>
  Object.entries(variables).map(([name, value]) => `export ${name}=${sh`${argument(value)}`}`);

/** As a path stands in /proc/self/mountinfo. */
const escaped = (path: string): string => path.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** A function for each client, named by all that it is, and `clients`, which names them all. */
function functions(clients: readonly FuseProgram[], place: (secret: Secret) => string): readonly string[] {
  const bodies = clients.map((client) => {
    const body = linesOf(client, place).join('\n  ');
    return { name: `client_${idOf(body)}`, body, target: client.target };
  });
  const calls = bodies.map(({ name, target }) => sh`"$1" ${name} ${escaped(target)} ${target}`);
  return [
    ...bodies.map(({ name, body }) => `${name}() {\n  ${body}\n}`),
    `clients() {\n  ${(calls.length > 0 ? calls : [':']).join('\n  ')}\n}`,
  ];
}
