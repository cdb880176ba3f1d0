/** Programs that end with this process, however it ends. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Program {
  readonly pid: number;
  /** Resolves once it has written such a line. Rejects when it ends before. */
  says(text: string): Promise<void>;
  /** Resolves when it has ended. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** File for its lines. */
  readonly log: string;
}

/** Starts a program of this machine. The kernel ends it with its parent. */
export function startProgram(argv: readonly string[], { env = {}, log }: ProgramOptions): Program {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...argv], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const file = createWriteStream(log, { flags: 'a' });
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', (line) => {
      lines.push(line);
      file.write(`${line}\n`);
      for (const each of listeners) each();
    });
  const isEnded = () => child.exitCode !== null || child.signalCode !== null;
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  return {
    pid: child.pid ?? 0,
    says: (text) =>
      new Promise((resolve, reject) => {
        const check = () => void (lines.some((line) => line.includes(text)) && (listeners.delete(check), resolve()));
        listeners.add(check);
        void ended.then(() => reject(new Error(`${argv.join(' ')} ended before it said ${text}:\n${lines.slice(-8).join('\n')}`)));
        check();
      }),
    async stop(signal = 'SIGTERM') {
      if (!isEnded()) child.kill(signal);
      await ended;
      file.end();
    },
  };
}
