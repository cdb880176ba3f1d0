import { withoutTrailing } from '../../src/api/trailing.ts';
import { hashOfScript, type MountRow, type MountTable, type Probe, sh } from '../../src/constructs/index.ts';
import { FIRST_LINES, LAST_LINE, SET_FORMAT } from './cache-sets.ts';
import { COMMANDS, master } from './commands.ts';
import type { JindoPlan } from './plan.ts';

/** Jindo's mounts, as it prints them: `oss://bucket/data/ on /data (…)`. */
const list: Probe<JindoPlan, readonly MountRow[]> = {
  mostBytes: 1 << 20,
  // Without masters there is no table: clients read the first source themselves.
  commands: (plan) => (plan.masters.length > 0 ? [master(plan, ['bash', '-c', listScript(plan)])] : []),
  parse([answers], plan) {
    const { sources, engine } = plan;
    const text = answers?.[0] ?? '';
    const wanted = new Map(sources.map((row) => [row.path, row.source]));
    const rows = readMounts(text).map(({ path, source }): MountRow => {
      const known = wanted.get(path);
      return { path, source: known !== undefined && address(known) === address(source) ? known : source };
    });
    if (engine === 'jindofsx' || hasSets(plan, text)) return rows;
    // Without its sets, JindoCache caches nothing. What is wanted is mounted again, which changes nothing, and the sets go with it.
    return rows.filter(({ path, source }) => wanted.get(path) !== source);
  },
};
const listScript = ({ engine }: JindoPlan): string =>
  [sh`${COMMANDS[engine].mount}`, ...(engine === 'jindocache' ? ['jindocache -listCacheSet', PRINT_RECORD] : [])].join(' && ');

/** Which sets a master was given, in its container: how Jindo prints what a set says is not documented. */
const RECORD = '"${TMPDIR-/tmp}/cacheset.record"';
const SETS = '"${TMPDIR-/tmp}/cacheset.xml"';
const PRINT_RECORD = `if [ -r ${RECORD} ]; then cat ${RECORD}; fi`;
const recordOf = ({ sets }: JindoPlan): string => `cache sets ${hashOfScript(JSON.stringify(sets))}`;

/** Jindo has sets, and they are those of the spec. */
function hasSets(plan: JindoPlan, text: string): boolean {
  const others = `\n${text.replaceAll(LINE, '')}\n`;
  return others.includes('cacheStrategy') && others.includes(`\n${recordOf(plan)}\n`);
}

/** The source, a word, the path; the rest of the line is ignored. */
const LINE = /^[ \t]*([a-z][a-z0-9+.-]*:\/\/\S*)[ \t]+\S+[ \t]+(\/\S*).*$/gm;

/** Mounts among other lines. */
export const readMounts = (text: string): readonly { readonly path: string; readonly source: string }[] =>
  [...text.matchAll(LINE)].map(([, source = '', path = '']) => ({ path, source }));

/** Jindo may add slashes at the end of an address. */
const address = (source: string): string => withoutTrailing(source, '/');

/** Jindo's own table, and the sets of JindoCache that go with it. */
export const mounts: MountTable<JindoPlan> = {
  list,
  wanted: ({ sources }) => sources,
  // One script: each exec is a connection of its own.
  change: (plan, { unmount, mount }) => {
    const seconds = SECONDS_FOR_TEN * Math.max(1, Math.ceil((unmount.length + mount.length) / 10));
    return [master(plan, ['bash', '-c', script(plan, unmount, mount), 'bash', ...plan.sets], seconds)];
  },
};
const SECONDS_FOR_TEN = 60;

/** A command that fails stops no other. A mount below another is unmounted before it, and mounted after it. */
function script(plan: JindoPlan, unmount: readonly string[], mount: readonly MountRow[]): string {
  const command = COMMANDS[plan.engine];
  return [
    'failed=0',
    MOUNT,
    ...unmount
      .toSorted()
      .toReversed()
      .map((path) => `${sh`${command.unmount} ${path}`} || failed=$?`),
    ...mount
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map(({ path, source = '' }) => `${sh`mount ${command.mount} ${path} ${source}`} || failed=$?`),
    ...(plan.engine === 'jindocache' ? [refresh(plan)] : []),
    'exit $failed',
  ].join('\n');
}

/** A running master does not see an edit of the file that it started with: a sub path is read once. The arguments of the script are the sets. */
const refresh = (plan: JindoPlan): string => `rm -f ${RECORD}
{ ${sh`printf %s ${FIRST_LINES}`}; ${sh`printf ${SET_FORMAT}`} "$@"; ${sh`printf %s ${LAST_LINE}`}; } > ${SETS} || exit $?
jindocache -refreshCacheSet -path ${SETS} || exit $?
${sh`echo ${recordOf(plan)}`} > ${RECORD} || failed=$?`;

/** After a restart a master may have kept its table, but not its sets. */
const MOUNT = `mount() {
  local said code
  said=$("$@" 2>&1) && return
  code=$?
  case $said in *'Mount point already exists'*) return ;; esac
  printf '%s\\n' "$said" >&2
  return $code
}`;
