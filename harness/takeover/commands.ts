/** The commands of Sluice that are tried, as processes: those that a user gives. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

export interface Outcome {
  readonly code: number | 'killed';
  readonly seconds: number;
  /** Both outputs, as they were written. */
  readonly lines: readonly string[];
}

export interface CommandOptions {
  readonly kubeconfig: string;
  /** File to which the output is added. Default: none. */
  readonly log?: string;
  /** Called with each line. `kill` sends SIGKILL, and returns false if the command has ended already. */
  readonly onLine?: (line: string, kill: () => boolean) => void;
}

/** `sluice takeover` with these arguments. */
export function takeover(args: readonly string[], { kubeconfig, log, onLine }: CommandOptions): Promise<Outcome> {
  const began = performance.now();
  // The process dies with this one, however that ends.
  const argv = ['--pdeathsig', 'KILL', '--', process.execPath, MAIN, 'takeover', ...args, '--kubeconfig', kubeconfig];
  const child = spawn('setpriv', argv, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } });
  const written = log === undefined ? undefined : createWriteStream(log, { flags: 'a' });
  written?.write(`$ sluice takeover ${args.join(' ')}\n`);
  const kill = () => child.exitCode === null && child.signalCode === null && child.kill('SIGKILL');
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => {
      written?.write(`${line}\n`);
      lines.push(line);
      onLine?.(line, kill);
    });
  return new Promise((resolve, reject) =>
    child.once('error', reject).once('close', (code) => {
      const seconds = (performance.now() - began) / 1000;
      written?.end(`--- ${code ?? 'killed'} after ${seconds.toFixed(1)} s\n`);
      resolve({ code: code ?? 'killed', seconds, lines });
    }),
  );
}
