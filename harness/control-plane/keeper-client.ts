/** The test process's side of its keeper (keeper.ts). */
import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FromKeeper, ToKeeper } from './keeper-messages.ts';

export interface Keeper {
  spawn(name: string, command: string, args: readonly string[]): void;
  /** Ends one process and returns when it is gone. */
  kill(name: string, signal: NodeJS.Signals): Promise<void>;
  /** Serves the kubelet end point; resolves to its port. */
  serveKubelet(options: Omit<Extract<ToKeeper, { kind: 'kubelet' }>, 'kind'>): Promise<number>;
  /** Why a process ended without a request; undefined while all run. */
  failure(): string | undefined;
  /** Ends everything and removes the folder, unless `keepDir` is set. */
  stop(keepDir: boolean): Promise<void>;
}

export async function startKeeper(dir: string): Promise<Keeper> {
  const entry = join(import.meta.dirname, 'keeper.ts');
  const child = fork(entry, [dir], { detached: true, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: keeperEnv() });
  const listeners = new Set<(message: FromKeeper) => void>();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let failure: string | undefined;
  let asked: string | undefined;
  child.on('message', (message: FromKeeper) => {
    if (message.kind === 'exited' && message.name !== asked) failure ??= `${message.name} ended: ${message.reason}`;
    for (const listener of listeners) listener(message);
  });
  let waiting = 0;
  /** While a call waits for the keeper, it keeps this process alive; else a test that forgets stop() still ends. */
  const holding = async <T>(answer: Promise<T>): Promise<T> => {
    waiting++;
    child.ref();
    child.channel?.ref();
    try {
      return await answer;
    } finally {
      if (--waiting === 0) release(child);
    }
  };
  const heard = <K extends FromKeeper['kind']>(kind: K, fits: (message: Extract<FromKeeper, { kind: K }>) => boolean = () => true) =>
    new Promise<Extract<FromKeeper, { kind: K }>>((resolve, reject) => {
      const listener = (message: FromKeeper) => {
        if (message.kind !== kind || !fits(message as Extract<FromKeeper, { kind: K }>)) return;
        listeners.delete(listener);
        resolve(message as Extract<FromKeeper, { kind: K }>);
      };
      listeners.add(listener);
      void ended.then(() => reject(new Error(`the keeper of ${dir} ended before it said "${kind}"`)));
    });
  const send = (message: ToKeeper) => void child.send(message);
  await holding(heard('hello'));
  return {
    spawn: (name, command, args) => send({ kind: 'spawn', name, command, args }),
    kill: async (name, signal) => {
      asked = name;
      const gone = heard('exited', (message) => message.name === name);
      send({ kind: 'kill', name, signal });
      await holding(gone);
      asked = undefined;
    },
    serveKubelet: async (options) => {
      const listening = heard('kubelet');
      send({ kind: 'kubelet', ...options });
      return (await holding(listening)).port;
    },
    failure: () => failure,
    stop: async (keepDir) => {
      if (child.exitCode === null && child.signalCode === null) {
        send({ kind: 'stop', keepDir });
        await holding(ended);
      }
      // The keeper does this itself, unless it was killed.
      if (!keepDir) rmSync(dir, { recursive: true, force: true });
    },
  };
}

function release(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

/** Without what a test runner put there for its own processes. */
function keeperEnv(): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, LANG } = process.env;
  return Object.fromEntries(Object.entries({ PATH, TMPDIR, LANG }).filter(([, value]) => value !== undefined));
}
