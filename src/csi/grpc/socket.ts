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
  /** How long to wait for another process that serves there to end, ms. Default 20,000: it lets its calls end first. */
  readonly handOverMs?: number;
  readonly log: Log;
  /** Default: the system's. */
  readonly clock?: Timers;
}

/**
 * Serves on a socket that only root can reach. It is created under a name of its own and then renamed: closing unlinks only
 * the first name, so what a successor has put in its place stays.
 *
 * @throws Error when another process goes on serving there
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

/** A socket without a listener was left by a process that was killed. One with a listener is not ours to replace. */
async function untilFree(socket: string, { handOverMs = 20_000, log, clock = systemClock }: ServeOptions): Promise<void> {
  let isLogged = false;
  for (const until = clock.monotonic() + handOverMs; ; ) {
    const found = lstatSync(socket, { throwIfNoEntry: false });
    if (!found) return;
    if (!found.isSocket()) throw new Error(`${socket}: expected a socket or nothing, found something else`);
    if (!(await answers(socket))) return;
    if (clock.monotonic() >= until)
      throw new Error(`${socket}: another process serves it, perhaps Fluid's own CSI plugin; end that process first`);
    if (!isLogged) log.info({ socket }, 'another process serves this socket; waiting until it ends');
    isLogged = true;
    await sleep(clock, LOOK_MS);
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
