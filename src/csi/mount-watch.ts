/** Says when the mount table may have changed. What it is now is always read anew: a line that was missed or doubled does no harm. */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { backoff, type Clock, systemClock } from '../kube/clock.ts';
import type { Log } from '../kube/types.ts';
import { run } from './child.ts';
import { isWithin } from './mountinfo.ts';

export interface MountWatch {
  /**
   * Resolves when something was mounted or unmounted within the directory after this call. Ask before you read the table, so that nothing
   * happens unseen in between.
   */
  next(): Promise<void>;
  stop(): Promise<void>;
}

export interface WatchOptions {
  /** Only what happens within it counts. */
  readonly directory: string;
  /** A directory on a private mount. */
  readonly scratch: string;
  readonly log: Log;
  readonly clock?: Clock;
}

/**
 * One findmnt that polls the table in the kernel, started again when it ends. Until it polls it is blind, and does not say when it begins:
 * so something is mounted for it to see, again and again until it does.
 */
export async function watchMounts({ directory, scratch, log, clock = systemClock }: WatchOptions): Promise<MountWatch> {
  const probe = join(scratch, 'probe');
  await mkdir(probe);
  let change = Promise.withResolvers<void>();
  let failures = 0;
  let stopped = false;
  let end: () => void = () => {};

  function changed(): void {
    change.resolve();
    change = Promise.withResolvers();
  }

  /** Resolves when it has ended. */
  function poll(sees: () => void): Promise<void> {
    // With us it dies, however we die.
    const argv = ['--pdeathsig', 'KILL', 'findmnt', '--poll', '--noheadings', '--raw', '--output', 'TARGET'];
    const child = spawn('setpriv', argv, { stdio: ['ignore', 'pipe', 'ignore'] });
    end = () => void child.kill('SIGKILL');
    createInterface({ input: child.stdout }).on('line', (target) => {
      if (target === probe) sees();
      else if (isWithin(target, directory)) changed();
    });
    return new Promise((resolve) => {
      child.once('error', (error) => {
        log.error({ error: error.message }, 'findmnt cannot be started');
        resolve();
      });
      child.once('close', () => resolve());
    });
  }

  async function stir(seen: AbortSignal): Promise<void> {
    while (!seen.aborted && !stopped) {
      await run(['mount', '-c', '--bind', probe, probe], 2_000).catch(() => {});
      await run(['umount', '-c', '-l', probe], 2_000).catch(() => {});
      await Promise.race([
        new Promise<void>((resolve) => clock.after(100, resolve)),
        new Promise<void>((resolve) => seen.addEventListener('abort', () => resolve(), { once: true })),
      ]);
    }
  }

  async function keepPolling(first: () => void): Promise<void> {
    while (!stopped) {
      const seen = new AbortController();
      const ended = poll(() => {
        if (seen.signal.aborted) return;
        seen.abort();
        failures = 0;
        first();
        // What happened while nobody looked.
        changed();
      });
      const stirring = stir(seen.signal);
      await ended;
      seen.abort();
      await stirring;
      if (stopped) return;
      failures++;
      log.warn({ failures }, 'findmnt ended; it is started again');
      await new Promise<void>((resolve) => clock.after(backoff(failures, clock.random), resolve));
    }
  }

  const ready = Promise.withResolvers<void>();
  const polling = keepPolling(ready.resolve);
  await ready.promise;
  return {
    next: () => change.promise,
    async stop() {
      stopped = true;
      end();
      await polling;
    },
  };
}
