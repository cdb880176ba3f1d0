import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Monotonic, systemClock } from '../../kube/clock.ts';
import { type Caller, namespaceIn } from './caller.ts';
import { createShares } from './shares.ts';

/** A request whose body is not read; the answer says why. */
export interface RejectedBody {
  readonly status: number;
  readonly body: string;
}

/** etcd stores no larger object; an AdmissionReview has a pod once, and little else. */
const LARGEST = 3 << 19;
/** Nearly every pod is a twentieth of it. Such a body waits for no other: slow uploads of large ones must not hold pods up. */
export const SMALL = 256 << 10;
/**
 * The bytes of all larger bodies under way: a parsed pod takes several times as much. One address has at most half of it, of which
 * namespaces have shares.
 */
const LARGEST_SUM = 24 << 20;

/** API servers send in one go what they have in memory. A large upload that takes longer gives its room to others. */
const SLOW_MS = 1000;
/** A large one under way. */
interface Upload {
  readonly since: number;
  cut(): void;
}

/** Reads bodies of requests, of which no more are in memory at once than it can hold. */
export function createBodies({ monotonic }: Monotonic = systemClock) {
  const shares = createShares(LARGEST_SUM / 2, LARGEST_SUM);
  /** The oldest first. */
  const uploads = new Set<Upload>();

  /** Slow uploads, from any number of addresses and for any namespaces, keep out nothing that is sent in one go. */
  function makesRoom(caller: Caller, amount: number, own: Upload): boolean {
    while (!shares.take(caller, amount)) {
      const [oldest] = uploads;
      if (!oldest || oldest === own || monotonic() - oldest.since < SLOW_MS) return false;
      oldest.cut();
    }
    return true;
  }

  /** The body, or why it is not taken. Iterating over a request would destroy it, and with it the answer. */
  return (request: IncomingMessage, response: ServerResponse): Promise<string | RejectedBody> => {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > LARGEST) return Promise.resolve(refusal(413, `expected at most ${LARGEST} bytes, found ${announced}`));
    const chunks: Buffer[] = [];
    let held = 0;
    let counted = 0;
    let caller: Caller | undefined;
    let upload: Upload | undefined;
    const peer = request.socket.remoteAddress ?? '';
    return new Promise((resolve) => {
      function refuse(status: number, message: string): void {
        request.pause().removeAllListeners('data');
        give();
        chunks.length = 0;
        resolve(refusal(status, message));
      }
      function give(): void {
        if (upload) uploads.delete(upload);
        if (caller) shares.give(caller, counted);
        counted = 0;
      }
      /** Whether there is room for what was read of it. */
      function fits(): boolean {
        if (held <= SMALL) return true;
        caller ??= { peer, namespace: namespaceIn(Buffer.concat(chunks).toString('latin1')) };
        upload ??= { since: monotonic(), cut: () => refuse(503, `expected a large request within ${SLOW_MS} ms while others wait; retry`) };
        uploads.add(upload);
        if (!makesRoom(caller, held - counted, upload)) return false;
        counted = held;
        return true;
      }
      // A request counts until its answer was sent or given up.
      response.once('close', give);
      request.on('data', (chunk: Buffer) => {
        held += chunk.length;
        chunks.push(chunk);
        if (held > LARGEST) return refuse(413, `expected at most ${LARGEST} bytes, found more`);
        if (!fits()) refuse(503, 'expected this namespace to have fewer bytes of large requests under way; retry');
      });
      request.once('end', () => {
        if (upload) uploads.delete(upload);
        resolve(Buffer.concat(chunks).toString('utf8'));
      });
      // The client went away; nobody reads the answer.
      request.once('close', () => resolve(refusal(400, 'expected a whole request')));
    });
  };
}

export const refusal = (status: number, message: string): RejectedBody => ({ status, body: `${message}\n` });
