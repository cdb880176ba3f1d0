/** The test process's side of the keeper of its node (keeper.ts). */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Daemon, FromNodeKeeper, NodeStart, ToNodeKeeper } from './keeper-messages.ts';

export interface NodeKeeper {
  start(start: NodeStart): Promise<void>;
  /** Ends a daemon with the signal and starts it again; returns when the new one was started. */
  restart(daemon: Daemon, signal: NodeJS.Signals): Promise<void>;
  /** A failure outside of a request; undefined while there is none. */
  failure(): string | undefined;
  /** Ends the node; returns when nothing of it is left. */
  stop(keepDir: boolean): Promise<void>;
}

export async function startNodeKeeper(dir: string): Promise<NodeKeeper> {
  const entry = join(import.meta.dirname, 'keeper.ts');
  const { PATH = '', TMPDIR } = process.env;
  const env = { PATH: `${PATH}:/usr/sbin:/sbin`, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
  const child = fork(entry, [dir], { detached: true, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let failure: string | undefined;
  child.on('message', (message: FromNodeKeeper) => {
    if (message.kind === 'failed') failure ??= message.reason;
  });
  /** Resolves with the answer; rejects when the keeper says that it failed, or ends. Keeps this process alive meanwhile. */
  const heard = async (kind: FromNodeKeeper['kind'], message?: ToNodeKeeper): Promise<void> => {
    hold(child);
    try {
      await new Promise<void>((resolve, reject) => {
        const listener = (answer: FromNodeKeeper) => {
          if (answer.kind === kind) resolve();
          else if (answer.kind === 'failed') reject(new Error(answer.reason));
          else return;
          child.off('message', listener);
        };
        child.on('message', listener);
        void ended.then(() => reject(new Error(`the keeper of ${dir} ended before it said "${kind}"`)));
        if (message !== undefined) child.send(message);
      });
    } finally {
      release(child);
    }
  };
  await heard('hello');
  return {
    start: (start) => heard('started', { kind: 'start', start }),
    restart: (daemon, signal) => heard('restarted', { kind: 'restart', daemon, signal }),
    failure: () => failure,
    stop: async (keepDir) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      hold(child);
      if (child.connected) child.send({ kind: 'stop', keepDir } satisfies ToNodeKeeper);
      await ended;
      if (child.exitCode !== 0) throw new Error(`the keeper of ${dir} could not clean up; what it wrote to standard error says why`);
    },
  };
}

function hold(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

function release(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}
