import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { isSea } from 'node:sea';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';

import { Refused } from '../errors.ts';

type LogLine = Readonly<Record<string, unknown>>;

/** A command of Sluice as a process of its own. */
export interface Child {
  readonly pid: number;
  /** The first line of its log with one of these messages, as an object. Rejects when the process ends before. */
  logged(...messages: readonly string[]): Promise<LogLine>;
  /** Rejects when the process ends by itself. */
  readonly failed: Promise<never>;
  /** Sends the signal, and resolves when the process has ended. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface ChildOptions {
  /** The command of Sluice, and its flags. */
  readonly args: readonly string[];
  /** Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** File of the module that runs commands. Default: the one that this process runs. */
  readonly main?: string;
  /** File for what the command writes. Default: none. */
  readonly log?: string;
}

/** How many lines of its log are shown when it ends by itself. */
const LAST_LINES = 8;

/** Ends a process once the one that started it is gone, even by a SIGKILL: that closes the channel between them. */
const WITH_PARENT = 'data:text/javascript,process.once("disconnect",()=>process.exit()).channel.unref()';

/** Starts a command, which ends at the latest with this process. */
export function startChild({ args, env = process.env, main = process.argv[1] ?? '', log }: ChildOptions): Child {
  // The child has a process group of its own: Ctrl-C reaches us, and we stop the child in its turn.
  // The file that runs without Node has one module, which ends with its parent by itself.
  const before = isSea() ? [] : ['--import', WITH_PARENT, main];
  const child = spawn(process.execPath, [...before, ...args], {
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const written = log === undefined ? undefined : createWriteStream(log);
  const lines: string[] = [];
  const waiting = new Set<(line: LogLine) => void>();
  // On a disk that is full the log ends, and the command goes on.
  written?.on('error', () => {});
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream as Readable }).on('line', (line) => {
      written?.write(`${line}\n`);
      lines.push(line);
      if (lines.length > LAST_LINES) lines.shift();
      const parsed = parsedLine(line);
      for (const each of waiting) each(parsed);
    });
  let isStopping = false;
  const ended = new Promise<string>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? `code ${code}`)).once('error', (error) => resolve(error.message)),
  );
  const failed = ended.then((how) => {
    if (isStopping) return new Promise<never>(() => {});
    throw new Refused([`sluice ${args[0]} ended by itself (${how}); it wrote at last:`, ...lines]);
  });
  failed.catch(() => {});
  // The child must not outlive us.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    pid: child.pid ?? 0,
    failed,
    logged: (...messages) =>
      Promise.race([
        failed,
        new Promise<LogLine>((resolve) => {
          const each = (line: LogLine) => {
            if (!messages.includes(String(line['msg']))) return;
            waiting.delete(each);
            resolve(line);
          };
          waiting.add(each);
        }),
      ]),
    async stop(signal) {
      isStopping = true;
      child.kill(signal);
      await ended;
      process.off('exit', kill);
    },
  };
}

function parsedLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return {};
  }
}
