import { constants } from 'node:os';

/** The exit code of a program that a signal ended, as a shell gives it. */
export const codeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

export interface Interrupts {
  readonly first: Promise<NodeJS.Signals>;
  /** From now on signals are this one's, and end nothing here. */
  pass(to: (signal: NodeJS.Signals) => void): void;
}

/** Ctrl-C, a terminal that was closed, and SIGTERM: the first lets everything end in order, the second ends the process at once. */
export function followSignals(): Interrupts {
  const { promise: first, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let isFirst = true;
  let take = (signal: NodeJS.Signals): void => {
    if (!isFirst) process.exit(codeOf(signal));
    isFirst = false;
    resolve(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => take(signal));
  return {
    first,
    pass: (to) => {
      take = to;
    },
  };
}
