import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../kube/clock.ts';
import type { FleetChange } from '../../wire.ts';
import type { Sight } from '../viewers/sight.ts';
import { changeOf } from './change.ts';
import type { LiveFleet } from './fleet.ts';

/** Messages of one stream are so far apart: at most four a second. */
const APART_MS = 250;
const HEARTBEAT_MS = 15_000;
/** A client whose socket stays full longer is cut off. Its browser connects again, and gets the changes that it has missed. */
const PATIENCE_MS = 30_000;
/** Streams of one viewer: one a tab. The first ends for one more. */
const MOST_OF_VIEWER = 20;

/** The streams of changes to all viewers. */
export interface Streams {
  /** Sends what has changed since that version, from now on until the viewer goes, or may not see it any more. */
  open(response: ServerResponse, viewing: Viewing): void;
  /** The version of what the fleet shows now. */
  version(): string;
  readonly count: number;
  stop(): void;
}
export interface Viewing {
  readonly sight: Sight;
  /** A version that the viewer knows; undefined: none. */
  readonly from: string | undefined;
  readonly ended: AbortSignal;
}

/** @param epoch another one with each start of the server: versions of an earlier one mean nothing */
export function createStreams(fleet: LiveFleet, epoch: string, clock: Clock, { seal, unseal }: Seal = OPEN): Streams {
  const open = new Set<Stream>();
  let cancel: (() => void) | undefined;
  const versionAt = (head: number): string => seal(`${epoch}.${head}`);

  function soon(): void {
    cancel ??= clock.after(APART_MS, () => {
      cancel = undefined;
      for (const stream of open) stream.flush();
      // Changes that a full socket did not take.
      if ([...open].some(({ isBehind }) => isBehind())) soon();
    });
  }
  const unfollow = fleet.follow(soon);

  return {
    version: () => versionAt(fleet.head),
    get count() {
      return open.size;
    },
    open(response, viewing) {
      const known = headOf(unseal(viewing.from ?? ''), epoch);
      const stream = createStream(response, { ...viewing, fleet, clock, versionAt, known });
      const own = [...open].filter((each) => each.sight === viewing.sight);
      if (own.length >= MOST_OF_VIEWER) own[0]?.end();
      open.add(stream);
      response.once('close', () => open.delete(stream));
      stream.flush();
    },
    stop() {
      unfollow();
      cancel?.();
      for (const stream of open) stream.end();
    },
  };
}

/** Writes versions so that nobody reads from them how much there was to see for others. */
export interface Seal {
  seal(version: string): string;
  unseal(text: string): string | undefined;
}
const OPEN: Seal = { seal: (version) => version, unseal: (text) => text };

/** With a key of this process alone. */
export function createSeal(): Seal {
  const key = randomBytes(16);
  return {
    seal(version) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-128-gcm', key, nonce);
      // Padded: the length says nothing either.
      return Buffer.concat([nonce, cipher.update(version.padEnd(32)), cipher.final(), cipher.getAuthTag()]).toString('base64url');
    },
    unseal(text) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length !== 60) return undefined;
      try {
        const decipher = createDecipheriv('aes-128-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(44));
        return Buffer.concat([decipher.update(bytes.subarray(12, 44)), decipher.final()])
          .toString()
          .trimEnd();
      } catch {
        return undefined;
      }
    },
  };
}

/** The number in a version; undefined if it is of another epoch, or no version. */
function headOf(version: string | undefined, epoch: string): number | undefined {
  const [, of, head] = /^([\w-]{1,64})\.(\d{1,15})$/.exec(version ?? '') ?? [];
  return of === epoch ? Number(head) : undefined;
}

interface Stream {
  readonly sight: Sight;
  flush(): void;
  isBehind(): boolean;
  end(): void;
}

interface StreamOptions extends Viewing {
  readonly fleet: LiveFleet;
  readonly clock: Clock;
  readonly versionAt: (head: number) => string;
  readonly known: number | undefined;
}

function createStream(response: ServerResponse, { sight, ended, fleet, clock, versionAt, known }: StreamOptions): Stream {
  let cursor = known;
  let fullSince: number | undefined;
  let heartbeat = () => {};
  const send = (change: FleetChange): void => void response.write(`id: ${change.version}\ndata: ${JSON.stringify(change)}\n\n`);
  function again(): void {
    if (response.writableEnded || response.destroyed) return;
    send({ version: versionAt(fleet.head), again: true });
    response.end();
  }
  function beat(): void {
    if (!isFull()) response.write(':\n\n');
    heartbeat = clock.after(HEARTBEAT_MS, beat);
  }
  /** Whether the client has yet to read; ends it when that takes too long. */
  function isFull(): boolean {
    if (!response.writableNeedDrain) {
      fullSince = undefined;
      return false;
    }
    fullSince ??= clock.monotonic();
    if (clock.monotonic() - fullSince > PATIENCE_MS) response.destroy();
    return true;
  }

  const forget = sight.onChanged(again);
  response.once('close', () => {
    forget();
    heartbeat();
    ended.removeEventListener('abort', end);
  });
  const end = (): void => void response.end();
  ended.addEventListener('abort', end);
  response.write('retry: 2000\n\n');
  heartbeat = clock.after(HEARTBEAT_MS, beat);

  return {
    sight,
    end,
    isBehind: () => cursor !== undefined && cursor < fleet.head,
    flush() {
      if (response.writableEnded || isFull()) return;
      const { head } = fleet;
      const keys = cursor === undefined ? undefined : fleet.since(cursor);
      if (!keys) return again();
      cursor = head;
      const { change, unknown } = changeOf(fleet, keys, sight, clock.wall());
      // Those of which something is to be seen call `again`.
      if (unknown.size > 0) void sight.look(unknown).catch(() => {});
      if (change === 'large') again();
      else if (change) send({ version: versionAt(head), ...change });
    },
  };
}
