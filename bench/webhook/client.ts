import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A webhook that is asked. */
export interface Target {
  readonly port: number;
  /** The name that its certificate has. */
  readonly host: string;
  /** PEM. */
  readonly ca: string;
}

/** The subject of requests: new pods that mount a Dataset each, or edits of Datasets and their runtimes. */
export type Subject = 'pods' | 'datasets';

export type Command =
  | { readonly do: 'open'; readonly target: Target; readonly datasets: number; readonly about: Subject }
  /** As fast as possible, so many at once. */
  | { readonly do: 'crowd'; readonly seconds: number; readonly atOnce: number }
  | { readonly do: 'rate'; readonly seconds: number; readonly perSecond: number };

/** Results of many requests; times in ms. */
export interface Asked {
  readonly count: number;
  /** Answered otherwise than with an object that is allowed, and a pod that is changed. */
  readonly refused: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the client. */
  readonly cpuSeconds: number;
}

export interface Asker {
  ask(command: Exclude<Command, { do: 'open' }>): Promise<Asked>;
  stop(): void;
}

/** A process that asks this webhook, each time about a random one of the Datasets. */
export async function startAsker(target: Target, datasets: number, about: Subject = 'pods'): Promise<Asker> {
  const child = fork(join(import.meta.dirname, 'client-process.ts'));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the client of the webhook ended with ${code}`);
  });
  ended.catch(() => {});
  const send = async (command: Command): Promise<unknown> => {
    const answer = once(child, 'message');
    child.send(command);
    return (await Promise.race([answer, ended]))[0];
  };
  await send({ do: 'open', target, datasets, about });
  return {
    // The cast: it is the answer to this command.
    ask: async (command) => (await send(command)) as Asked,
    stop() {
      process.off('exit', kill);
      kill();
    },
  };
}
