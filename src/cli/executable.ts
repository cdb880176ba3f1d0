/** The entry of the file that runs without Node installed (scripts/executable.ts). It is CommonJS, which has no top-level await. */
import { start } from './start.ts';

/** The code with which Node ends a module whose top-level await never settles. */
const NEVER_SETTLED = 13;

// `playground` starts commands that end with it, even by a SIGKILL: that closes the channel between them.
process.once('disconnect', () => process.exit()).channel?.unref();

let hasEnded = false;
process.once('exit', (code) => {
  if (!hasEnded && code === 0) process.exitCode = NEVER_SETTLED;
});
void start().finally(() => {
  hasEnded = true;
});
