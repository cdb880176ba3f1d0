import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface ReconcilerProcess {
  readonly pid: number;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<void>;
}

/** How many lines of its log are shown when it ends by itself. */
const LAST_LINES = 8;

/** Runs `sluice reconcile` as a process of its own; resolves once it leads or stands by. Throws when it ends before. */
export async function startReconciler(args: readonly string[]): Promise<ReconcilerProcess> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'reconcile', '--metrics-addr', '0', ...args], {
    // Of a process group of its own: Ctrl-C is for us, who then stop it in its turn.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const last: string[] = [];
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  const acting = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        last.push(line);
        if (last.length > LAST_LINES) last.shift();
        if (/"msg":"(leading|standing by)"/.test(line)) resolve();
      });
  });
  // Whatever way we end, it must not stay.
  const kill = () => void child.kill('SIGKILL');
  process.on('exit', kill);
  const code = await Promise.race([acting.then(() => 'acting' as const), ended]);
  if (code !== 'acting') throw new Error(`the reconciler ended with code ${code}:\n${last.join('\n')}`);
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      process.off('exit', kill);
    },
  };
}
