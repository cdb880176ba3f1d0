import { spawn } from 'node:child_process';
import { messageOf, Refused } from '../errors.ts';
import { complain } from '../terminal.ts';
import { codeOf, type Interrupts } from './interrupts.ts';

/** Runs a command until it ends, even if controller or webhook end before; its exit code, as a shell gives it. */
export async function runCommand(
  [program = '', ...args]: readonly string[],
  kubeconfig: string,
  interrupts: Interrupts,
  failed: Promise<never>,
): Promise<number> {
  // npm run -s would silence each npm in it.
  const { npm_config_loglevel: _, ...env } = process.env;
  const child = spawn(program, args, { stdio: 'inherit', env: { ...env, KUBECONFIG: kubeconfig } });
  // Ctrl-C in the terminal reaches the command too, and is its own: an interpreter goes on after it.
  interrupts.pass((signal) => signal !== 'SIGINT' && child.kill(signal));
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', (error) => reject(new Refused(`${program} cannot be run: ${messageOf(error)}`, { cause: error })));
    child.once('exit', (code, signal) => resolve(code ?? (signal ? codeOf(signal) : 1)));
  });
  failed.catch((error: unknown) => {
    complain(`sluice: the playground does not work any more, and ends when ${program} has ended: ${messageOf(error)}`);
    child.kill('SIGTERM');
  });
  const code = await ended;
  // Only the failure counts.
  return Promise.race([failed, Promise.resolve(code)]);
}
