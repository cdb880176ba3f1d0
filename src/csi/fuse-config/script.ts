import { InvalidSpec } from '../../api/errors.ts';
import { type Env, env, type Joined, sh, word } from '../../api/shell.ts';
import type { Client, Word } from './clients.ts';
import type { Part, Secret } from './values.ts';

/** Text in some format, and the files that it refers to. */
export interface Rendered {
  readonly text: string;
  /** Secrets that stood in config.json, by the path where the text says they are; for nobody else's eyes. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * A program in POSIX sh that runs the clients. One takes the place of the shell, so that signals reach it; of several each is started again
 * when it ends, and all end on SIGTERM. No secret is in the text: they are read when it runs. `directory` is where those are that stand in
 * config.json; without one they are InvalidSpec.
 */
export function mountScript(clients: readonly Client[], directory?: string): Rendered {
  const { place, files } = secretsIn(directory);
  const bodies = clients.map((client, i) => lines(client, place, clients.length === 1 ? '' : `/${i + 1}`));
  const [only, ...others] = bodies;
  const run = only && others.length === 0 ? only : [...supervised(clients, bodies)];
  const folder = clients.some((client) => Object.keys(client.files).length > 0) ? ['sluice_files=$(mktemp -d)'] : [];
  return { text: `${[HEAD, ...folder, ...run].join('\n')}\n`, secrets: files };
}

/** The client's environment alone, for a script of one's own: `. ./mount.env`. */
export function envFile({ env: variables, files: written }: Client, directory?: string): Rendered {
  const { place, files } = secretsIn(directory);
  if (Object.keys(written).length > 0)
    throw new InvalidSpec({
      path: 'template files',
      expected: 'none for --output env; --output script has them',
      found: Object.keys(written).join(', '),
    });
  const { head, argument } = words(place, '');
  const exports = exported(variables, argument);
  return { text: [...head, ...exports].map((line) => `${line}\n`).join(''), secrets: files };
}

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
    const known = Object.entries(files).find(([, value]) => value === secret.value);
    const path = known?.[0] ?? `${directory}/secret-${Object.keys(files).length + 1}`;
    files[path] = secret.value;
    return path;
  };
  return { place, files };
}

const HEAD = `#!/bin/sh
# Made by \`sluice fuse-config\` from config.json. No secret is in it.
set -eu
# Takes away what a client that died has left mounted. Only the table of mounts is read: a path that hangs is not looked at.
detach() {
  stale=0
  while read -r _ _ _ _ at _; do [ "$at" != "$1" ] || stale=$((stale + 1)); done < /proc/self/mountinfo
  while [ "$stale" -gt 0 ]; do
    umount -l "$2"
    stale=$((stale - 1))
  done
}`;

/** What one client needs, and at last the client itself. */
function lines(
  { target, program, args, env: variables, files }: Client,
  place: (secret: Secret) => string,
  folder: string,
): readonly string[] {
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

/** Words of a script; `head` fills with the lines that must come before them. */
function words(place: (secret: Secret) => string, folder: string) {
  const known = new Map<string, string>();
  const head: string[] = [];
  const variable = (id: string, prefix: string, value: string): Env => {
    const name = known.get(id) ?? `sluice_${prefix}_${known.size + 1}`;
    if (!known.has(id)) head.push(`${name}=${value}`);
    known.set(id, name);
    return env(name);
  };
  const part = (each: Part): readonly (string | Env)[] => {
    if (typeof each === 'string') return [each];
    if ('file' in each) return [env('sluice_files'), `${folder}/${each.file}`];
    if ('secret' in each) {
      const path = place(each.secret);
      return [each.asFile ? path : variable(path, 'secret', sh`$(cat ${path})`)];
    }
    const { env: name, fallback } = each;
    // What is set but empty counts as nothing, here as in `:-`.
    return [variable(JSON.stringify(each), 'env', `\${${name}:${fallback === undefined ? '?is not set' : sh`-${fallback}`}}`)];
  };
  return { head, argument: (parts: Word) => word(...parts.flatMap(part)) };
}

/** As a path stands in /proc/self/mountinfo. */
const escaped = (path: string): string => path.replace(/[ \t\n\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);

function* supervised(clients: readonly Client[], bodies: readonly (readonly string[])[]): Generator<string> {
  yield SUPERVISOR;
  for (const [i, body] of bodies.entries()) yield `client_${i + 1}() {\n  ${body.join('\n  ')}\n}`;
  for (const [i, { target }] of clients.entries()) yield sh`start client_${String(i + 1)} ${escaped(target)} ${target}`;
  yield AT_LAST;
}

const SUPERVISOR = `# Runs a client for as long as the container runs: one that ends takes no other with it. Braces, since in another
# subshell it would not get the signals of the process that start makes.
keep() {
  pid='' pause=1 stopping=''
  trap 'stopping=yes; kill -s TERM $pid 2>/dev/null || :' TERM INT
  while [ -z "$stopping" ]; do
    "$1" &
    pid=$!
    [ -z "$stopping" ] || kill -s TERM "$pid" 2>/dev/null || :
    wait "$pid" || :
    [ -n "$stopping" ] || {
      echo "sluice: the client of $3 ended, and starts again in $pause s" >&2
      sleep "$pause" &
      pid=$!
      wait "$pid" || :
      [ "$pause" -ge 32 ] || pause=$((pause * 2))
    }
  done
  wait || :
  detach "$2" "$3"
}
keepers='' stopped=''
trap 'stopped=yes; kill -s TERM $keepers 2>/dev/null || :' TERM INT
start() {
  [ -z "$stopped" ] || return 0
  keep "$@" &
  keepers="$keepers $!"
}`;

const AT_LAST = `for keeper in $keepers; do
  while kill -0 "$keeper" 2>/dev/null; do wait "$keeper" || :; done
done`;
