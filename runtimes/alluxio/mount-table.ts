import { type Arg, contents, type MountTable, sh, word } from '../../src/constructs/index.ts';
import { forget, master } from './commands.ts';
import { type Row, secretFile } from './mounts.ts';
import type { AlluxioPlan } from './plan.ts';
import { type MountLine, readMounts } from './report.ts';
import { readMaster, web, WEB_MASTER } from './web.ts';

/** Alluxio's own table. `/` is what the master was started with. */
export const mounts: MountTable<AlluxioPlan, Row> = {
  list: {
    commands: ({ ports }) => [master(['bash', '-c', [web(ports.masterWeb), WEB_MASTER, 'alluxio fs mount'].join('\n')])],
    parse([answers], { mounts }) {
      const text = answers?.[0] ?? '';
      const lines = text.startsWith('{') ? readMaster(text) : readMounts(text);
      if (lines.length === 0)
        throw new Error(`alluxio fs mount said: ${text.startsWith('{') ? 'no mounts' : text.slice(0, 200) || 'nothing'}`);
      if (lines.length > MOST) throw new Error(`alluxio fs mount said: ${lines.length} mounts`);
      const wanted = new Map(mounts.rows.map((row) => [row.path, row]));
      return lines.filter(({ path }) => path !== '/').map((line) => inOurWords(line, wanted.get(line.path)));
    },
  },
  wanted: (plan) => plan.mounts.rows,
  // One script: each exec is a connection of its own.
  change: (plan, { unmount, mount }) => [
    master(['bash', '-c', script(unmount, mount)], SECONDS_FOR_TEN * Math.max(1, Math.ceil((unmount.length + mount.length) / 10))),
    forget(plan),
  ],
};

/** Twice as many as a Dataset may have: pods run what image a user likes, and each pass compares all of them. */
const MOST = 4096;

/** Each of them starts a Java virtual machine. */
const SECONDS_FOR_TEN = 120;

/** What fails keeps nothing else from being done. What is in another mount goes before it, and comes after it. */
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
        // A shell goes on when it cannot read what is part of a command's arguments.
        const read = (files.get(row.path) ?? []).map((file) => sh`cat ${file} > /dev/null && `);
        return `${read.join('')}${sh`mount ${mountArgs(row)}`} || failed=$?`;
      }),
    'exit $failed',
  ].join('\n');
}

/** Of a mount that it refuses Alluxio prints every option, secrets too, and in its last line why. */
const MOUNT = `mount() {
  local said code
  said=$(alluxio fs mount "$@" 2>&1) && return
  code=$?
  printf '%s\\n' "\${said##*$'\\n'}" >&2
  return $code
}`;

/** What is secret is read in the pod: no request holds it. */
const mountArgs = ({ path, source, options, secrets }: Row): readonly Arg[] => [
  // Flags stand among the options, under the names that Alluxio's command line has for them.
  ...Object.entries(options).flatMap(([key, value]) => (key.startsWith('--') ? [key] : ['--option', `${key}=${value}`])),
  ...secrets.flatMap((secret) => ['--option', word(`${secret.option}=`, contents(secretFile(secret)))]),
  path,
  source,
];

/** Alluxio writes addresses without a slash at their end, and masks what it takes for a secret, whoever gave it. */
function inOurWords(
  { path, source, readOnly, shared, properties }: MountLine,
  row: Row | undefined,
): Pick<Row, 'path' | 'source'> & Partial<Row> {
  const secret = new Set(row?.secrets.map(({ option }) => option));
  const known = row && address(row.source) === address(source) ? row.source : source;
  if (!properties) return { path, source: known };
  const told = Object.entries(properties).flatMap(([key, value]): [string, string][] =>
    secret.has(key) ? [] : [[key, /^\*+$/.test(value) ? (row?.options[key] ?? value) : value]],
  );
  return {
    path,
    source: known,
    options: { ...(readOnly && { '--readonly': '' }), ...(shared && { '--shared': '' }), ...Object.fromEntries(told) },
  };
}

const address = (source: string): string => source.split('/').filter(Boolean).join('/');
