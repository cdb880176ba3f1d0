import type { BasePlan, BoundProbe, Reads, ReadAnswer } from './contract.ts';

/** A look-up that takes longer counts as one that waits. */
const SECONDS = 10;

/**
 * The look-up of a name that no file has, which no cache of names can answer. The script uses only what is built into any shell, as images
 * are the users'. A look-up that hangs outlives its command. So a lock has its process: while that runs, no other look-up begins, and none
 * where no lock can be written. The script prints a word before it looks: a command that does not end in time has begun at least.
 */
const SCRIPT = `# The lock is cleared also when no process reads the output any more.
trap '' PIPE
lock=/tmp/.sluice-look-up
# A container may have a file system that is read-only.
{ true >> $lock; } 2> /dev/null || lock=/dev/shm/.sluice-look-up
{ read -r pid < $lock && [ -n "$pid" ] && kill -0 "$pid"; } 2> /dev/null && { echo waits; exit 0; }
{ echo $$ > $lock; } 2> /dev/null || exit 0
echo looks
for directory; do { true < "$directory/.sluice-look-up-$$"; } 2>&1; done
{ echo > $lock; } 2> /dev/null
echo asked`;

/** Those of one Dataset: what holds for its first mounts mostly holds for all. */
const MOST_DIRECTORIES = 8;
/** Characters that are read of an error: the longest of FAILURES is half as long. */
const MOST_CHARACTERS = 100;
/** Far more than one line of an error for each directory. */
const MOST_BYTES = 64 << 10;

/**
 * A probe that reads as a pod would: one fuse pod looks up a file that does not exist. It needs `sh` in the image.
 * @throws Error from `parse`, when the answer says nothing about the data.
 */
export function readProbe<P extends BasePlan>(
  plan: P,
  { subject, directories = () => [plan.mountPath] }: Reads<P>,
): BoundProbe<ReadAnswer> {
  const fails = (how: string): ReadAnswer => ({ fails: `A pod that looks up a file ${how}: ${subject} does not answer.` });
  return {
    commands: [
      {
        in: 'fuse',
        on: 'one',
        argv: ['sh', '-c', SCRIPT, 'sh', ...directories(plan).slice(0, MOST_DIRECTORIES)],
        timeoutSeconds: SECONDS,
      },
    ],
    mostBytes: MOST_BYTES,
    parse([answers]) {
      const lines = (answers?.[0] ?? '').trimEnd().split('\n');
      const last = lines.pop();
      if (last === 'waits') return fails('waits');
      if (last !== 'asked') throw new Error('no look-up was made');
      // After the name of the file, which is a user's.
      const [error] = lines.flatMap((line) => FAILURES.exec(line.slice(line.lastIndexOf(': ') + 2).slice(0, MOST_CHARACTERS))?.[0] ?? []);
      return error === undefined ? {} : fails(`gets the error “${error}”`);
    },
    late: () => fails('waits'),
  };
}

/** Where such a probe looks, and who it says does not answer. */
export function aimsOf({ commands, late }: BoundProbe<ReadAnswer>): { readonly directories: readonly string[]; readonly subject: string } {
  const [, subject = ''] = /^A pod that looks up a file waits: (.*) does not answer\.$/s.exec(late?.().fails ?? '') ?? [];
  return { subject, directories: commands.flatMap(({ argv }) => argv.slice(argv.indexOf(SCRIPT) + 2)) };
}

/**
 * Names in glibc and musl of the errors of a file system that does not answer. All others, such as a denial, are answers. The condition has
 * nothing else of the line: a text that changes with each look-up would be a write of the status with each.
 */
const FAILURES =
  /input\/output error|i\/o error|transport endpoint is not connected|socket not connected|(?:connection |operation )?timed out|stale (?:nfs )?file handle|connection (?:refused|reset)|host is (?:down|unreachable)|no route to host|network is (?:down|unreachable)|no such device/i;
