import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Caller, namespaceIn } from './caller.ts';
import { createShares } from './shares.ts';

/** A request whose body is not read; the answer says why. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
}

/** etcd stores no larger object; an AdmissionReview has a pod once, and little else. */
const LARGEST = 3 << 19;
/** Nearly every pod is a twentieth of it. Such a body waits for no other: slow uploads of large ones must not hold pods up. */
export const SMALL = 256 << 10;
/** Of all larger ones under way: a parsed pod takes several times as much. One address has at most half of it, of which namespaces have shares. */
const LARGEST_SUM = 24 << 20;

/** Reads bodies of requests, of which no more are in memory at once than it can hold. */
export function createBodies() {
  const shares = createShares(LARGEST_SUM / 2, LARGEST_SUM);

  /** The body, or why it is not taken. Iterating over a request would destroy it, and with it the answer. */
  return (request: IncomingMessage, response: ServerResponse): Promise<string | Refusal> => {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > LARGEST) return Promise.resolve(refusal(413, `expected at most ${LARGEST} bytes, found ${announced}`));
    const chunks: Buffer[] = [];
    let held = 0;
    let counted = 0;
    let caller: Caller | undefined;
    const peer = request.socket.remoteAddress ?? '';
    /** Whether there is room for what was read of it. */
    function fits(): boolean {
      if (held <= SMALL) return true;
      caller ??= { peer, namespace: namespaceIn(Buffer.concat(chunks).toString('latin1')) };
      if (!shares.take(caller, held - counted)) return false;
      counted = held;
      return true;
    }
    // A request counts until its answer was sent or given up.
    response.once('close', () => caller && shares.give(caller, counted));
    return new Promise((resolve) => {
      request.on('data', (chunk: Buffer) => {
        held += chunk.length;
        chunks.push(chunk);
        const isTooLarge = held > LARGEST;
        if (!isTooLarge && fits()) return;
        request.pause().removeAllListeners('data');
        resolve(
          isTooLarge
            ? refusal(413, `expected at most ${LARGEST} bytes, found more`)
            : refusal(503, 'expected this namespace to have fewer bytes of large requests under way; retry'),
        );
      });
      request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      // The client went away; nobody reads the answer.
      request.once('close', () => resolve(refusal(400, 'expected a whole request')));
    });
  };
}

export const refusal = (status: number, message: string): Refusal => ({ status, body: `${message}\n` });
