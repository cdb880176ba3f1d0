/** The only module that knows every runtime. Everything is loaded when it is needed, so that a process holds only its own command. */
import { run } from './program.ts';

/** Runs the command of this process, and sets the exit code. */
export async function start(): Promise<void> {
  // `sluice synth … | head` closes the pipe early, which is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.exitCode = await run(process.argv.slice(2), {
    runtimes: async () => (await import('../../runtimes/_all.gen.ts')).runtimes,
    resources: async () => (await import('../../runtimes/_resources.gen.ts')).resources,
  });
}
