/** A program that runs beside others, niced, and ends with this process. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Background {
  isRunning(): boolean;
  /** Prints what it has printed and what it prints from now on; resolves with its exit code, 1 when a signal ended it. */
  shown(): Promise<number>;
}

/** @param isUrgent which of its lines are printed at once */
export function inBackground(command: readonly string[], isUrgent: (line: string) => boolean): Background {
  // A group of its own: its children end with it, and Ctrl-C reaches it by us alone.
  const child = spawn('nice', ['-n', '10', ...command], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let isRunning = true;
  process.once('exit', () => {
    if (isRunning && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  });
  let isShown = false;
  let held: readonly string[] = [];
  const show = (line: string) => process.stdout.write(`${line}\n`);
  const take = (line: string) => {
    if (isShown || isUrgent(line)) show(line);
    else held = [...held, line];
  };
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', take);
  const ended = new Promise<number>((resolve) => {
    const finish = (code: number) => {
      isRunning = false;
      resolve(code);
    };
    child.once('error', (error) => {
      take(error.message);
      finish(1);
    });
    child.once('close', (code) => finish(code ?? 1));
  });
  return {
    isRunning: () => isRunning,
    shown: () => {
      isShown = true;
      held.forEach(show);
      held = [];
      return ended;
    },
  };
}
