/**
 * The shell of sidecars. Each script is fixed text; paths and names are its arguments, so none of them is ever read as shell. They use what
 * every image of a FUSE client has: `sh`, `sleep`, `mkdir`, `umount`, `rmdir`.
 */

/**
 * Whether something is mounted at a path. `$1`: the path as /proc/self/mountinfo writes it; `$2`: a part of the host directory that
 * the kubelet mounts there first, in the same spelling: as long as it is the root of the last mount, no client has mounted. `$3`: the path;
 * directories on the way to it may be links in the image.
 */
const IS_MOUNTED = `is_mounted() {
  found=
  linked=$(cd -P "\${3%/*}/" 2>/dev/null && pwd -P)
  linked=\${linked%/}/\${3##*/}
  while read -r _ _ _ root point _; do
    [ "$point" = "$1" ] || [ "$point" = "$linked" ] || continue
    case "$root" in *"$2"*) found= ;; *) found=yes ;; esac
  done </proc/self/mountinfo
  [ -n "$found" ]
}`;

/** Arguments: a Mounted, then a command to go on with. */
const CHECK = `${IS_MOUNTED}
is_mounted "$1" "$2" "$3" || exit 1
[ -z "$4" ] || [ -e "$3/$4" ] || exit 1
shift 4
[ $# -eq 0 ] || exec "$@"`;

/** Arguments: how often to try, a Mounted, then a command to go on with. */
const WAIT = `${IS_MOUNTED}
tries=$1
shift
until is_mounted "$1" "$2" "$3" && { [ -z "$4" ] || [ -e "$3/$4" ]; }; do
  tries=$((tries - 1))
  if [ "$tries" -le 0 ]; then echo "no file system is mounted at $3" >&2; exit 1; fi
  sleep 1
done
shift 4
[ $# -eq 0 ] || exec "$@"`;

/** Arguments: how often to try in all, then Mounteds. */
const WAIT_ALL = `${IS_MOUNTED}
tries=$1
shift
while [ $# -gt 0 ]; do
  until is_mounted "$1" "$2" "$3"; do
    tries=$((tries - 1))
    if [ "$tries" -le 0 ]; then echo "no file system is mounted at $3" >&2; exit 1; fi
    sleep 1
  done
  shift 4
done`;

/**
 * Most clients cannot mount where the file system of a client that was killed still is, or where there is no directory. Arguments: a
 * Mounted, then the client's command.
 */
const START = `${IS_MOUNTED}
if is_mounted "$1" "$2" "$3"; then umount -l "$3"; fi
[ -d "$3" ] || mkdir -p "$3"
shift 4
exec "$@"`;

/**
 * Unmounts, then removes the directory of this pod on the host. The working directory keeps the file system alive in between: the client
 * ends with it, and with the client this script. Arguments: a Mounted, the home and the directory in it, then a command to begin with.
 */
const STOP = `${IS_MOUNTED}
escaped=$1 bare=$2 mounted=$3 home=$5 directory=$6
shift 6
[ $# -eq 0 ] || "$@"
if is_mounted "$escaped" "$bare" "$mounted"; then
  cd "$mounted" || cd /
  umount -l "$mounted"
fi
(cd "$home" && rmdir -p "$directory" 2>/dev/null)
exit 0`;

const run = (script: string, ...args: readonly string[]): string[] => ['sh', '-c', script, 'sluice', ...args];

/** A path of a container, at which a client mounts. */
export interface ClientPath {
  readonly path: string;
  /** The path that has to exist below it; empty: none. */
  readonly subPath: string;
  /** A part of the host directory that the kubelet mounts at the path or above it, which no other directory has: with the pod's own name in it. */
  readonly bare: string;
}

const argumentsOf = ({ path, subPath, bare }: ClientPath): readonly string[] => [escaped(path), escaped(bare), path, subPath];

/** Starts a client; first unmounts what one before it has left. */
export const startCommand = (mounted: ClientPath, client: readonly string[]): string[] => run(START, ...argumentsOf(mounted), ...client);

/** Exit code 0 if the file system is mounted, and then that of `next`, if there is one. */
export const checkCommand = (mounted: ClientPath, next: readonly string[] = []): string[] => run(CHECK, ...argumentsOf(mounted), ...next);

/** The same, tried once a second. */
export const waitCommand = (mounted: ClientPath, tries: number, next: readonly string[] = []): string[] =>
  run(WAIT, String(tries), ...argumentsOf(mounted), ...next);

/** Waits for all of them, and tries so often in all. */
export const waitForAllCommand = (mounted: readonly ClientPath[], tries: number): string[] =>
  run(WAIT_ALL, String(tries), ...mounted.flatMap(argumentsOf));

/**
 * Runs `first`, unmounts, and removes `directory` and its parents below `home`, as far as they are empty.
 * @param home a directory of the container, parent of all directories of pods on the host
 */
export const stopCommand = (mounted: ClientPath, home: string, directory: string, first: readonly string[]): string[] =>
  run(STOP, ...argumentsOf(mounted), home, directory, ...first);

/** As /proc/self/mountinfo writes a path: man 5 proc. */
const escaped = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
