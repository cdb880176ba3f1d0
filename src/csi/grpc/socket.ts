/** Sockets for the kubelet: who may reach them, and who serves there when plugins follow one another. */
import { randomBytes } from 'node:crypto';
import { lstatSync, renameSync, rmSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { sleep, systemClock, type Timers } from '../../kube/clock.ts';
import type { Log } from '../../kube/types.ts';
import { type UnaryMethod, unaryServer } from './unary.ts';

/** How often to look whether another process has ended. */
const LOOK_MS = 200;
/** From one log line about the same wait to the next. */
const REMIND_MS = 60_000;
/** How long calls under way may take to end. */
const CALLS_MS = 5_000;

/** The services of a socket. */
export interface Listening {
  /** Why the plugin cannot be reached there any more; undefined when it can. */
  lost(): string | undefined;
  /** Removes the socket, if it is still ours, and lets calls under way end. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  /** How long to wait for another process that serves there to end, ms. Default: as long as it serves. */
  readonly handOverMs?: number;
  /** Called while it waits for another process, once a minute. */
  readonly onWait?: (why: string) => void;
  /** Ends a wait for another process. */
  readonly signal?: AbortSignal;
  readonly log: Log;
  /** Default: the system's. */
  readonly clock?: Timers;
}

/**
 * Serves on a socket that only root can reach. It is created under a name of its own and then renamed: closing unlinks only
 * the first name, so what a successor has put in its place stays.
 *
 * @throws Error when another process serves there for longer than `handOverMs`, and the signal's reason
 */
export async function serve(
  socket: string,
  services: readonly ReadonlyMap<string, UnaryMethod>[],
  options: ServeOptions,
): Promise<Listening> {
  await mkdir(dirname(socket), { recursive: true, mode: 0o750 });
  await untilFree(socket, options);
  const server = unaryServer(new Map(services.flatMap((methods) => [...methods])), options.clock);
  // With a dot, the kubelet passes it over.
  const own = join(dirname(socket), `.${randomBytes(4).toString('hex')}`);
  await server.listen(own);
  await chmod(own, 0o600);
  const { ino } = lstatSync(own);
  renameSync(own, socket);
  const isOurs = () => lstatSync(socket, { throwIfNoEntry: false })?.ino === ino;
  return {
    lost: () => (isOurs() ? undefined : `${socket}: removed, or taken by another process`),
    async stop() {
      // While this process still answers: a successor takes the path only when no process serves there.
      if (isOurs()) rmSync(socket);
      await server.stop(CALLS_MS);
    },
  };
}

/**
 * A socket without a listener was left by a process that was killed. One with a listener is not ours to replace. While Fluid's plugin is
 * replaced, this one waits on every node: a process that ended instead would start again with back-off, and leave its node without a plugin.
 */
async function untilFree(
  socket: string,
  { handOverMs = Number.POSITIVE_INFINITY, onWait, signal, log, clock = systemClock }: ServeOptions,
): Promise<void> {
  let logged = Number.NEGATIVE_INFINITY;
  for (const began = clock.monotonic(); ; ) {
    const found = lstatSync(socket, { throwIfNoEntry: false });
    if (!found) return;
    if (!found.isSocket()) throw new Error(`${socket}: expected a socket or nothing, found something else`);
    if (!(await answers(socket))) return;
    const now = clock.monotonic();
    const why = `${socket}: another process serves it, perhaps Fluid's own CSI plugin; end that process first`;
    if (now - began >= handOverMs) throw new Error(why);
    if (now - logged >= REMIND_MS) {
      log.info({ socket }, 'another process serves this socket; waiting until it ends');
      onWait?.(why);
      logged = now;
    }
    await sleep(clock, LOOK_MS, signal);
  }
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => resolve(false));
  });
}
