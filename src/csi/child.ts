/**
 * Programs that do what may hang. A thread that touches a FUSE file system whose client does not answer stays in the kernel, and four of
 * them are all that Node has for files; a child can be left behind.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

export interface Ended {
  /** Exit code; null when it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
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

const MOST_OUTPUT = 64 << 10;
/** Of the programs that we run: nothing that users could set, and messages in one language. */
const ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

/**
 * Runs a program with these arguments, and never longer than `ms`.
 *
 * @throws Stuck after `ms`; Error when there is no such program
 */
export function run(argv: readonly [string, ...string[]], ms: number, signal?: AbortSignal): Promise<Ended> {
  const [program, ...args] = argv;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    // Of a group of its own: what it has started is killed with it.
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: ENV, cwd: '/', detached: true });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        if (texts[name].length < MOST_OUTPUT) texts[name] += text;
      });
    const gone = new Promise<void>((resolve) => {
      child.once('close', () => resolve());
    });
    const giveUp = () => {
      kill(child);
      // We do not wait for it when we end. Its pipes stay open: they tell when all that it has started is gone.
      child.unref();
      for (const pipe of [child.stdout, child.stderr]) if (pipe instanceof Socket) pipe.unref();
      reject(signal?.aborted ? signal.reason : new Stuck(`${program} did not end within ${ms} ms`, gone));
    };
    const timer = setTimeout(giveUp, ms);
    signal?.addEventListener('abort', giveUp, { once: true });
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('close', (code) => {
      settle();
      resolve({ code, ...texts });
    });
  });
}

function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended at this moment.
  }
}
