/** gRPC as the kubelet speaks it to plugins: unary calls without compression (the protocol: PROTOCOL-HTTP2.md of gRPC). */
import { createServer, type Socket } from 'node:net';
import { CsiError, status } from './errors.ts';
import type { Headers } from './hpack.ts';
import { type Connection, type Incoming, MOST_BYTES, type Outgoing, serveHttp2 } from './http2.ts';

/** What is known of a call besides its message. */
export interface Call {
  /** Aborted when the caller has gone, or its deadline has passed. */
  readonly signal: AbortSignal;
  /** ms since the epoch; Infinity when the caller sets none. */
  readonly deadline: number;
}

/** From one message to the other. @throws CsiError */
export type Method = (request: Uint8Array, call: Call) => Promise<Uint8Array>;

export interface UnaryServer {
  listen(socket: string): Promise<void>;
  /** Takes no more calls, and lets those under way end, `ms` at most. */
  stop(ms: number): Promise<void>;
}

/** Of a message: whether it is compressed, and its length. */
const PREFIX = 5;
/** Longer timers run out at once. */
const MOST_MS = 2 ** 31 - 1;

export function unaryServer(methods: ReadonlyMap<string, Method>): UnaryServer {
  const connections = new Map<Socket, Connection>();
  const server = createServer((socket) => {
    connections.set(
      socket,
      serveHttp2(socket, (request) => answer(methods, request)),
    );
    socket.once('close', () => connections.delete(socket));
  });
  return {
    listen: (path) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(path, () => {
          server.off('error', reject);
          resolve();
        });
      }),
    stop: (ms) =>
      new Promise((resolve) => {
        const force = setTimeout(() => {
          for (const socket of connections.keys()) socket.destroy();
        }, ms);
        server.close(() => {
          clearTimeout(force);
          resolve();
        });
        for (const connection of connections.values()) connection.close();
      }),
  };
}

async function answer(methods: ReadonlyMap<string, Method>, { headers, body, gone }: Incoming): Promise<Outgoing> {
  if (!headers['content-type']?.startsWith('application/grpc')) return { headers: { ':status': '415' } };
  const over = new AbortController();
  const left = timeLeft(headers['grpc-timeout']);
  const path = headers[':path'] ?? '';
  let timer: NodeJS.Timeout | undefined;
  try {
    const method = methods.get(path);
    if (!method) throw new CsiError(status.UNIMPLEMENTED, `there is no method ${path}`);
    const message = messageOf(body);
    // Who is told of the end does not wait for who is to end.
    const ended = new Promise<never>((_, reject) => {
      const end = (why: CsiError) => {
        over.abort(why);
        reject(why);
      };
      gone.addEventListener('abort', () => end(new CsiError(status.CANCELLED, 'the caller has gone')), { once: true });
      if (left <= MOST_MS) timer = setTimeout(() => end(new CsiError(status.DEADLINE_EXCEEDED, 'the deadline has passed')), left);
    });
    return whole(await Promise.race([method(message, { signal: over.signal, deadline: Date.now() + left }), ended]));
  } catch (error) {
    return refusal(error instanceof CsiError ? error : new CsiError(status.INTERNAL, String(error)));
  } finally {
    clearTimeout(timer);
  }
}

/** @throws CsiError for what is no message of a unary call */
function messageOf(bytes: Buffer | undefined): Uint8Array {
  if (bytes === undefined) throw new CsiError(status.RESOURCE_EXHAUSTED, `the message is longer than ${MOST_BYTES} bytes`);
  if (bytes.length < PREFIX || bytes.readUInt32BE(1) !== bytes.length - PREFIX)
    throw new CsiError(status.INTERNAL, 'expected one message, whole');
  if (bytes[0] !== 0) throw new CsiError(status.UNIMPLEMENTED, 'compressed messages are not understood');
  return bytes.subarray(PREFIX);
}

const HEADERS: Headers = { ':status': '200', 'content-type': 'application/grpc+proto' };
const DONE: Headers = { 'grpc-status': '0' };

function whole(message: Uint8Array): Outgoing {
  const body = Buffer.allocUnsafe(PREFIX + message.length);
  body[0] = 0;
  body.writeUInt32BE(message.length, 1);
  body.set(message, PREFIX);
  return { headers: HEADERS, body, trailers: DONE };
}

/** What a header may not hold as it is. */
const NOT_PLAIN = /[^\x20-\x24\x26-\x7e]+/g;

function refusal({ code, message }: CsiError): Outgoing {
  const text = message.toWellFormed().trim().replace(NOT_PLAIN, encodeURIComponent);
  return { headers: { ...HEADERS, 'grpc-status': String(code), 'grpc-message': text } };
}

const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** ms; Infinity where none is set. */
function timeLeft(header = ''): number {
  const [, count, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(header) ?? [];
  return count === undefined ? Number.POSITIVE_INFINITY : Number(count) * (UNITS[unit] ?? 0);
}
