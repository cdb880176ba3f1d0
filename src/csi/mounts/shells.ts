/**
 * Programs that do what may hang. A thread that touches a FUSE file system whose client does not answer stays in the kernel, and four of
 * them are all that Node has for files; a child can be left behind.
 *
 * They are started by shells that wait for that, for to fork a process of this size takes longer than all that they do
 * (docs/adr/0019-children-are-started-by-small-shells.md). A shell runs one program at a time; one whose program hangs is given up with it.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { sh } from '../../api/shell.ts';

export interface Ended {
  /** As a shell has it: 127 where there is no such program, more than 128 where a signal ended it. */
  readonly code: number;
  /** What it said, on whichever of its outputs. */
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

/** Of the programs that we run: nothing that users could set, and messages in one language. */
const ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
/** So many programs are at work at a time: more of them would share the processors, and all end late. */
const AT_WORK = 2;
/** So many shells wait for the next program, at two megabytes each. To start one more takes this process several ms. */
const IDLE = AT_WORK;
/** Who takes longer waits for a file system, not for a processor, and holds up no other. */
const SLOW_MS = 50;

/** `functions`: text that defines what the shells can do besides running programs. */
export function openShells(functions = ''): Shells {
  const idle: Shell[] = [];
  const turns = createTurns();
  let closed = false;

  return {
    async run(argv, ms) {
      // A shell passes over it, and would reach another path.
      if (argv.some((argument) => argument.includes('\0'))) throw new Error(`${argv[0]}: an argument has a NUL`);
      const finish = await turns.take();
      try {
        let shell = idle.pop();
        while (shell?.hasEnded()) shell = idle.pop();
        shell ??= startShell(functions);
        const ended = await shell.run(argv, ms);
        if (closed || idle.length >= IDLE) shell.end();
        else idle.push(shell);
        return ended;
      } finally {
        finish();
      }
    },

    close() {
      closed = true;
      for (const shell of idle.splice(0)) shell.end();
    },
  };
}

/** Who comes first is first, AT_WORK of those at a time that do not wait for anything themselves. */
function createTurns() {
  const waiting: (() => void)[] = [];
  let working = 0;

  return {
    /** Resolves when it is the caller's turn, with what ends it. */
    async take(): Promise<() => void> {
      if (working < AT_WORK) working++;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      let isOver = false;
      const pass = () => {
        if (isOver) return;
        isOver = true;
        const next = waiting.shift();
        if (next) next();
        else working--;
      };
      const timer = setTimeout(pass, SLOW_MS);
      return () => {
        clearTimeout(timer);
        pass();
      };
    },
  };
}

interface Shell {
  readonly run: Run;
  hasEnded(): boolean;
  end(): void;
}

function startShell(functions: string): Shell {
  // Of a group of its own: what it has started is killed with it. With us it ends, however we end: its input does.
  const child = spawn('/bin/sh', { stdio: ['pipe', 'pipe', 'ignore'], env: ENV, cwd: '/', detached: true });
  let said = '';
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
    // Of one that could not be started, nothing closes.
    child.once('error', (error) => child.pid === undefined && end(error));
    // What it leaves behind has nobody who would wait for it.
    child.once('exit', () => isBusy && kill(child));
    child.once('close', () => end(failure));
  });
  // That it has ended is seen above.
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    heard();
  });
  child.stdin.write(`${functions}\n`);

  return {
    hasEnded: () => ended || child.exitCode !== null || child.signalCode !== null,
    end: () => void child.stdin.end(),

    run(argv, ms) {
      said = '';
      isBusy = true;
      child.stdin.write(`${sh`${argv}`} </dev/null 2>&1; ${TELL}\n`);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          leave(child);
          reject(new Stuck(`${argv[0]} did not end within ${ms} ms`, gone));
        }, ms);
        heard = () => {
          const [, output = '', code] = TOLD.exec(said) ?? [];
          if (code !== undefined) resolve({ code: Number(code), output });
          else if (ended) reject(failure ?? new Error(`${argv[0]}: its shell was ended`));
          else return;
          clearTimeout(timer);
          heard = () => {};
          isBusy = false;
        };
        if (ended) heard();
      });
    },
  };
}

/** What programs print has no NUL: with it ends what one of them has said, and how it ended is put between two. */
const TELL = String.raw`printf '\0%s\0' "$?"`;
const TOLD = /^([^\0]*)\0(\d+)\0$/;

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** With all that it has started. */
function kill({ pid }: Child): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended at this moment.
  }
}

/** Kills it, and does not wait for it when we end. Its output stays open: it tells when all that it has started is gone. */
function leave(child: Child): void {
  kill(child);
  child.stdin.destroy();
  child.unref();
  if (child.stdout instanceof Socket) child.stdout.unref();
}
