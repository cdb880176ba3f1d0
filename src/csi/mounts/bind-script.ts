/** Which mount the open file 9 is on. */
const READ_ID = 'id=; while read -r key value; do case $key in mnt_id:) id=$value ;; esac; done </proc/self/fdinfo/9';

/**
 * The script that binds a directory, as one process: it goes into the directory, looks at where it is, and binds where it stands. What it
 * has entered is held by the kernel, so no process can put another directory in its place between the check and the mount; a path that is
 * given to mount(8) would be walked a second time. Everything that varies is an argument, never text of the script.
 *
 *   $1 path of the fuse mount          $2 id of that mount, empty: any        $3 the source's path below $1, `.` for itself
 *   $4 the whole path of the source    $5 where to bind                       $6 options (`ro`), may be empty
 *   $7 directory on a private mount, empty: bind at once. By way of it the new mount is read-only, and without peers, before others see
 *      it: neither a later remount nor a later change of propagation would reach the host from within a pod.
 *   $8 not empty: take away what is mounted at $5, at the last moment: it is never bare for long
 *   $9 `private` for what is read-only, else `slave`
 *
 * Where it fails, the mount may be left at $7: who has called it takes that away.
 * What is read-only receives nothing that is mounted on its source afterwards: that could be written.
 */
const BIND = `
cd -P -- "$1" 2>/dev/null || exit 10
[ "$PWD" = "$1" ] || exit 15
if [ -n "$2" ]; then
  { ${READ_ID}; } 9<. || exit 10
  [ "$id" = "$2" ] || exit 11
fi
if [ "$3" != . ]; then
  cd -P -- "./$3" 2>/dev/null || exit 12
  [ "$PWD" = "$4" ] || exit 13
fi
[ -n "$7" ] || exec mount -c --bind . "$5"
mount -c --bind \${6:+-o "$6"} --make-"$9" . "$7" || exit 14
if [ -n "$8" ]; then while umount -c -l "$5" 2>/dev/null; do :; done; fi
exec mount -c --move "$7" "$5"
`;

/** Goes the same way, and shows the directory with all that is mounted below it at $7 alone; $6: `private` or `slave`. */
const GATHER = `${BIND.slice(0, BIND.indexOf('[ -n "$7" ]'))}exec mount -c --rbind --make-r"$6" . "$7"`;

/** The same for a file of this name in $8. A name is walked by mount(8), so what it led to must be checked before any pod sees it. */
const GATHER_FILE = `${BIND.slice(0, BIND.indexOf('[ -n "$7" ]'))}[ -f "./$8" ] && [ ! -L "./$8" ] || exit 12
exec mount -c --bind --make-"$6" "./$8" "$7"`;

/** Pairs of a mount and its desired options. */
const HARDEN = `
while [ $# -gt 0 ]; do
  mount -c -o "remount,bind,$2" "$1" || exit 14
  shift 2
done
`;

/** $1 to $2, in the place of what is there when $3 is not empty. */
const MOVE = `
if [ -n "$3" ]; then while umount -c -l "$2" 2>/dev/null; do :; done; fi
exec mount -c --move "$1" "$2"
`;

/**
 * Unmounts the mount of a directory at $1 lazily if its id is $2. The open file holds it: a mount that takes the place of a part of the
 * path is not unmounted. A pipe in its place is not opened, which would wait for a writer.
 */
const DETACH = `
exec 9<"$1/."
${READ_ID}
[ "$id" = "$2" ] || exit 11
exec umount -c -l /proc/self/fd/9`;

/** Goes the same way, and binds nothing. */
const LOOK = BIND.slice(0, BIND.indexOf('[ -n "$7" ]'));

/** All as functions for shells, each call in a process of its own. */
export const BIND_FUNCTIONS = Object.entries({
  sluice_bind: BIND,
  sluice_detach: DETACH,
  sluice_look: LOOK,
  sluice_gather: GATHER,
  sluice_gather_file: GATHER_FILE,
  sluice_harden: HARDEN,
  sluice_move: MOVE,
})
  .map(([name, script]) => `${name}() (${script}\n)`)
  .join('\n');

/** Exit codes of the scripts; all others mean that mount(8) failed. */
export const outcome = { dead: 10, changed: 11, missing: 12, escaped: 13, linked: 15 } as const;
