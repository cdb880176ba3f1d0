/**
 * How an application waits for its files, with any prefetcher whose image has `sh`, and `sleep` for ordinary sidecars. Each script is fixed
 * text, and gets what a user wrote as arguments. After its time an application starts without the files: it can read them all the same.
 */

/** Arguments: the file to wait for, seconds. */
const WAIT = `tries=$2
until [ -e "$1" ]; do
  tries=$((tries - 1))
  [ "$tries" -ge 0 ] || exit 0
  sleep 1
done`;

/** The same for a probe, which is called once a second. Arguments: the file to wait for, seconds, a file that counts the calls. */
const CHECK = `[ ! -e "$1" ] || exit 0
calls=0
[ ! -e "$3" ] || read -r calls <"$3"
calls=$((calls + 1))
echo "$calls" >"$3" || exit 0
[ "$calls" -gt "$2" ]`;

const run = (script: string, ...args: readonly string[]): string[] => ['sh', '-c', script, 'sluice', ...args];

/** Ends when the file exists, or after so many seconds; always with exit code 0. */
export const waitCommand = (file: string, seconds: number): string[] => run(WAIT, file, String(seconds));

/** Exit code 0 if the file exists, or after more calls than seconds. */
export const checkCommand = (file: string, seconds: number, counter: string): string[] => run(CHECK, file, String(seconds), counter);
