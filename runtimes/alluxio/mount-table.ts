import { type Arg, contents, type MountTable, sh, word } from '../../src/constructs/index.ts';
import { forget, master } from './commands.ts';
import { list } from './mount-list.ts';
import { type Row, secretFile } from './mounts.ts';
import type { AlluxioPlan } from './plan.ts';

/** Alluxio's own table. `/` is what the master was started with. */
export const mounts: MountTable<AlluxioPlan, Row> = {
  list,
  wanted: (plan) => plan.mounts.rows,
  // One script: each exec is a connection of its own.
  change: (plan, { unmount, mount }) => [
    master(plan, ['bash', '-c', script(unmount, mount)], SECONDS_FOR_TEN * Math.max(1, Math.ceil((unmount.length + mount.length) / 10))),
    forget(plan),
  ],
};

/** Each of them starts a Java virtual machine. */
const SECONDS_FOR_TEN = 120;

/** A command that fails stops no other. A mount below another is unmounted before it, and mounted after it. */
function script(unmount: readonly string[], mount: readonly Row[]): string {
  const files = new Map(mount.map(({ path, secrets }) => [path, secrets.map(secretFile)]));
  return [
    'failed=0',
    ...(mount.length > 0 ? [MOUNT] : []),
    ...unmount
      .toSorted()
      .toReversed()
      .map((path) => {
        // A pod that is older than a Secret's volume has no such file: what is mounted stays so until the pod is made again.
        const present = (files.get(path) ?? []).map((file) => sh`[ -r ${file} ] && `);
        return `${present.join('')}${sh`alluxio fs unmount ${path}`} || failed=$?`;
      }),
    ...mount
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map((row) => {
        // A shell continues if a substitution in a command's arguments fails.
        const read = (files.get(row.path) ?? []).map((file) => sh`cat ${file} > /dev/null && `);
        return `${read.join('')}${sh`mount ${mountArgs(row)}`} || failed=$?`;
      }),
    'exit $failed',
  ].join('\n');
}

/**
 * Alluxio prints every option of a mount that it refuses, secrets too, and the reason in its last line. Pods that read while a mount goes
 * may leave its directory in Alluxio's own tree, where it prevents any mount: the directory is forgotten, unless it holds data that is
 * nowhere else.
 */
const MOUNT = `mount() {
  local said code tree path="\${@: -2:1}"
  said=$(alluxio fs mount "$@" 2>&1) && return
  code=$?
  if [[ $said == *'already exists in Alluxio namespace'* ]] && tree=$(alluxio fs ls -R "$path" 2>&1) &&
    [[ $tree != *NOT_PERSISTED* && $tree != *TO_BE_PERSISTED* ]] && alluxio fs rm -R --alluxioOnly "$path" > /dev/null 2>&1; then
    said=$(alluxio fs mount "$@" 2>&1) && return
    code=$?
  fi
  printf '%s\\n' "\${said##*$'\\n'}" >&2
  return $code
}`;

/** Secrets are read in the pod: no request holds one. */
const mountArgs = ({ path, source, options, secrets }: Row): readonly Arg[] => [
  // Flags are among the options, under their names on Alluxio's command line.
  ...Object.entries(options).flatMap(([key, value]) => (key.startsWith('--') ? [key] : ['--option', `${key}=${value}`])),
  ...secrets.flatMap((secret) => ['--option', word(`${secret.option}=`, contents(secretFile(secret)))]),
  path,
  source,
];
