import { type MountRow, type MountTable, type Probe, sh } from '../../src/constructs/index.ts';
import { COMMANDS, master } from './commands.ts';
import type { JindoPlan } from './plan.ts';

/** What Jindo mounts, as it prints it: `oss://bucket/data/ on /data (…)`. */
const list: Probe<JindoPlan, readonly MountRow[]> = {
  // Without masters there is no table: clients read the first source themselves.
  commands: (plan) => (plan.masters.length > 0 ? [master(plan, ['bash', '-c', listScript(plan)])] : []),
  parse([answers], { sources, engine }) {
    const text = answers?.[0] ?? '';
    const wanted = new Map(sources.map((row) => [row.path, row.source]));
    const rows = readMounts(text).map(({ path, source }): MountRow => {
      const known = wanted.get(path);
      return { path, source: known !== undefined && address(known) === address(source) ? known : source };
    });
    if (rows.length > MOST) throw new Error(`${COMMANDS[engine].mount.join(' ')} said: ${rows.length} mounts`);
    // Without its sets, JindoCache caches nothing of what is mounted: all is mounted again, and the sets with it.
    return engine === 'jindocache' && !text.includes('cacheStrategy') ? [] : rows;
  },
};
/** Twice as many as a Dataset may have: pods run what image a user likes, and each pass compares all of them. */
const MOST = 4096;

const listScript = ({ engine }: JindoPlan): string =>
  [sh`${COMMANDS[engine].mount}`, ...(engine === 'jindocache' ? ['jindocache -listCacheSet'] : [])].join(' && ');

/** Mounts in any words around them. */
export const readMounts = (text: string): readonly { readonly path: string; readonly source: string }[] =>
  text.split('\n').flatMap((line) => {
    const fields = line.split(/\s+/).filter(Boolean);
    const [path, source] = [fields.find((field) => field.startsWith('/')), fields.find((field) => /^[a-z][a-z0-9+.-]*:\/\//i.test(field))];
    return path !== undefined && source !== undefined ? [{ path, source }] : [];
  });

/** Jindo may add a slash at the end of an address. */
const address = (source: string): string => source.replace(/\/+$/, '');

/** Jindo's own table, and the sets of JindoCache that go with it. */
export const mounts: MountTable<JindoPlan> = {
  list,
  wanted: ({ sources }) => sources,
  // One script: each exec is a connection of its own.
  change: (plan, { unmount, mount }) => {
    const seconds = SECONDS_FOR_TEN * Math.max(1, Math.ceil((unmount.length + mount.length) / 10));
    return [master(plan, ['bash', '-c', script(plan, unmount, mount)], seconds)];
  },
};
const SECONDS_FOR_TEN = 60;

/** A command that fails stops no other. A mount below another is unmounted before it, and mounted after it. */
function script({ engine }: JindoPlan, unmount: readonly string[], mount: readonly MountRow[]): string {
  const command = COMMANDS[engine];
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
    ...(engine === 'jindocache' ? ['jindocache -refreshCacheSet -path /cacheset.xml || failed=$?'] : []),
    'exit $failed',
  ].join('\n');
}

/** After a restart a master may have kept its table, but not its sets. */
const MOUNT = `mount() {
  local said code
  said=$("$@" 2>&1) && return
  code=$?
  case $said in *'Mount point already exists'*) return ;; esac
  printf '%s\\n' "$said" >&2
  return $code
}`;
