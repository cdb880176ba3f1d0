import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { unlessAborted } from './steps.ts';

export interface ReconcilerProcess {
  readonly pid: number;
  readonly role: 'leading' | 'standing by';
  /** SIGTERM, and waits for the end. */
  stop(): Promise<void>;
}

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

/** How many lines of its log are shown when it ends by itself. */
const LAST_LINES = 8;

/** Runs `sluice reconcile` as a process of its own; resolves once it leads or stands by. Throws when it ends before, or the signal's reason. */
export async function startReconciler(args: readonly string[], signal: AbortSignal): Promise<ReconcilerProcess> {
  const child = spawn(process.execPath, [MAIN, 'reconcile', '--metrics-addr', '0', ...args], {
    // Of a process group of its own: Ctrl-C is for us, who then stop it in its turn.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const last: string[] = [];
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  const acting = new Promise<ReconcilerProcess['role']>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        last.push(line);
        if (last.length > LAST_LINES) last.shift();
        const [, role] = /"msg":"(leading|standing by)"/.exec(line) ?? [];
        if (role) resolve(role as ReconcilerProcess['role']);
      });
  });
  // Whatever way we end, it must not stay.
  const kill = () => void child.kill('SIGKILL');
  process.on('exit', kill);
  const role = await unlessAborted(Promise.race([acting, ended]), signal);
  if (typeof role !== 'string') throw new Error(`the reconciler ended with code ${role}:\n${last.join('\n')}`);
  return {
    pid: child.pid ?? 0,
    role,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      process.off('exit', kill);
    },
  };
}
