/**
 * Programs that do what may hang. A thread that touches a FUSE file system whose client does not answer stays in the kernel, and four of
 * them are all that Node has for files; a child can be left behind.
 *
 * They are started by shells that wait for that, because forking a process of this size takes longer than the work itself
 * (docs/adr/0019-children-are-started-by-small-shells.md). A shell runs one program at a time; one whose program hangs is given up with it.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { sh } from '../../api/shell.ts';
import { systemClock, type Timers } from '../../kube/clock.ts';
import { createLimiter, takeSlot } from '../../kube/turns/limiter.ts';

export interface Ended {
  /** The exit code of a shell: 127 where there is no such program, more than 128 where a signal ended it. */
  readonly code: number;
  /** Standard output and standard error together. */
  readonly output: string;
}

/** A program did not end in time. It was killed, but a process deep in the kernel dies only when the kernel lets go of it. */
export class Stuck extends Error {
  override readonly name = 'Stuck';
  /** Resolves when it has ended after all. */
  readonly gone: Promise<void>;

  constructor(message: string, gone: Promise<void>) {
    super(message);
    this.gone = gone;
  }
}

/**
 * Runs a program, or a function of the shells, with these arguments, and never longer than `ms`.
 *
 * @throws Stuck after `ms`
 */
export type Run = (argv: readonly [string, ...string[]], ms: number) => Promise<Ended>;

export interface Shells {
  readonly run: Run;
  /** Ends the shells; what is under way is finished. */
  close(): void;
}

/** The environment of all programs: nothing that users could set, and messages in one language. */
const ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
/** How many programs work at a time: more would share the processors, and all end late. */
const AT_WORK = 2;
/** How many shells are kept for the next program, at two megabytes each. To start another takes this process several ms. */
const IDLE = AT_WORK;
/** A program that takes longer waits for a file system, not for a processor, and is not counted. */
const SLOW_MS = 50;

/** @param functions text that defines what the shells can do besides running programs */
export function openShells(functions = '', clock: Timers = systemClock): Shells {
  const idle: Shell[] = [];
  const limiter = createLimiter(AT_WORK, clock);
  let closed = false;

  return {
    async run(argv, ms) {
      // A shell drops a NUL, and would use another path.
      if (argv.some((argument) => argument.includes('\0'))) throw new Error(`${argv[0]}: an argument has a NUL`);
      const slot = await takeSlot(limiter, clock, SLOW_MS);
      try {
        let shell = idle.pop();
        while (shell?.hasEnded()) shell = idle.pop();
        shell ??= startShell(functions, clock);
        const ended = await shell.run(argv, ms);
        if (closed || idle.length >= IDLE) shell.end();
        else idle.push(shell);
        return ended;
      } finally {
        slot.release();
      }
    },

    close() {
      closed = true;
      for (const shell of idle.splice(0)) shell.end();
    },
  };
}

interface Shell {
  readonly run: Run;
  hasEnded(): boolean;
  end(): void;
}

function startShell(functions: string, clock: Timers): Shell {
  // In a process group of its own, so that its children are killed with it. It ends with this process, however that ends: its input closes.
  const child = spawn('/bin/sh', { stdio: ['pipe', 'pipe', 'ignore'], env: ENV, cwd: '/', detached: true });
  let printed = '';
  let heard: () => void = () => {};
  let ended = false;
  let failure: Error | undefined;
  let isBusy = false;
  const gone = new Promise<void>((resolve) => {
    const end = (error?: Error) => {
      failure = error;
      ended = true;
      heard();
      resolve();
    };
    // A shell that could not be started emits no `close`.
    child.once('error', (error) => child.pid === undefined && end(error));
    // No process would wait for the children that it leaves behind.
    child.once('exit', () => isBusy && kill(child));
    child.once('close', () => end(failure));
  });
  // The child's end is handled above.
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    heard();
  });
  child.stdin.write(`${functions}\n`);

  return {
    hasEnded: () => ended || child.exitCode !== null || child.signalCode !== null,
    end: () => void child.stdin.end(),

    run(argv, ms) {
      printed = '';
      isBusy = true;
      child.stdin.write(`${sh`${argv}`} </dev/null 2>&1; ${PRINT_END}\n`);
      return new Promise((resolve, reject) => {
        const cancel = clock.after(ms, () => {
          leave(child);
          reject(new Stuck(`${argv[0]} did not end within ${ms} ms`, gone));
        });
        heard = () => {
          const [, output = '', code] = END.exec(printed) ?? [];
          if (code !== undefined) resolve({ code: Number(code), output });
          else if (ended) reject(failure ?? new Error(`${argv[0]}: its shell was ended`));
          else return;
          cancel();
          heard = () => {};
          isBusy = false;
        };
        if (ended) heard();
      });
    },
  };
}

/** Programs print no NUL: one ends the output of a program, and its exit code stands between two. */
const PRINT_END = String.raw`printf '\0%s\0' "$?"`;
const END = /^([^\0]*)\0(\d+)\0$/;

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Kills the shell and all that it has started. */
function kill({ pid }: Child): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The child has just ended.
  }
}

/** Kills it, and does not wait for it when this process ends. Its output stays open, and closes when all that it started has ended. */
function leave(child: Child): void {
  kill(child);
  child.stdin.destroy();
  child.unref();
  if (child.stdout instanceof Socket) child.stdout.unref();
}
