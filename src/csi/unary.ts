/**
 * gRPC as the kubelet speaks it to plugins: unary calls without compression, on node:http2 itself
 * (docs/adr/0021-grpc-on-http2-itself.md; the protocol: PROTOCOL-HTTP2.md of gRPC).
 */
import { createServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { CsiError, status } from './errors.ts';

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

/** More than any request of CSI has; as much as gRPC's own servers take. */
const MOST_BYTES = 4 << 20;
/** Of a message: whether it is compressed, and its length. */
const PREFIX = 5;
/** Longer timers run out at once. */
const MOST_MS = 2 ** 31 - 1;

export function unaryServer(methods: ReadonlyMap<string, Method>): UnaryServer {
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => void serveCall(methods, stream, headers));
  return {
    listen: (socket) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(socket, () => {
          server.off('error', reject);
          resolve();
        });
      }),
    stop: (ms) =>
      new Promise((resolve) => {
        const force = setTimeout(() => {
          for (const session of sessions) session.destroy();
        }, ms);
        server.close(() => {
          clearTimeout(force);
          resolve();
        });
        for (const session of sessions) session.close();
      }),
  };
}

async function serveCall(methods: ReadonlyMap<string, Method>, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
  // Of a caller that has gone: 'close' tells as well.
  stream.on('error', () => {});
  if (!headers['content-type']?.startsWith('application/grpc')) return stream.respond({ ':status': 415 }, { endStream: true });
  const gone = new AbortController();
  const leave = (why: CsiError) => gone.abort(why);
  const left = timeLeft(headers['grpc-timeout']);
  const timer = left <= MOST_MS && setTimeout(() => leave(new CsiError(status.DEADLINE_EXCEEDED, 'the deadline has passed')), left);
  const close = () => leave(new CsiError(status.CANCELLED, 'the caller has gone'));
  stream.once('close', close);
  // Who is told of the end does not wait for who is to end.
  const ended = new Promise<never>((_, reject) => gone.signal.addEventListener('abort', () => reject(gone.signal.reason), { once: true }));
  try {
    const method = methods.get(String(headers[':path']));
    if (!method) throw new CsiError(status.UNIMPLEMENTED, `there is no method ${headers[':path']}`);
    const work = messageOf(stream).then((message) => method(message, { signal: gone.signal, deadline: Date.now() + left }));
    answer(stream, await Promise.race([work, ended]));
  } catch (error) {
    refuse(stream, error instanceof CsiError ? error : new CsiError(status.INTERNAL, String(error)));
  } finally {
    if (timer) clearTimeout(timer);
    stream.off('close', close);
  }
}

/** @throws CsiError for what is no message of a unary call */
function messageOf(stream: ServerHttp2Stream): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MOST_BYTES) chunks.push(chunk);
    });
    stream.once('end', () => {
      if (length > MOST_BYTES) return reject(new CsiError(status.RESOURCE_EXHAUSTED, `the message is longer than ${MOST_BYTES} bytes`));
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      if (bytes.length < PREFIX || bytes.readUInt32BE(1) !== bytes.length - PREFIX)
        return reject(new CsiError(status.INTERNAL, 'expected one message, whole'));
      if (bytes[0] !== 0) return reject(new CsiError(status.UNIMPLEMENTED, 'compressed messages are not understood'));
      resolve(bytes.subarray(PREFIX));
    });
  });
}

const HEADERS = { ':status': 200, 'content-type': 'application/grpc+proto' } as const;

function answer(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (stream.destroyed) return;
  const bytes = Buffer.allocUnsafe(PREFIX + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, PREFIX);
  stream.respond(HEADERS, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(bytes);
}

function refuse(stream: ServerHttp2Stream, { code, message }: CsiError): void {
  if (stream.destroyed) return;
  const text = message.toWellFormed().trim().replace(NOT_PLAIN, encodeURIComponent);
  stream.respond({ ...HEADERS, 'grpc-status': String(code), 'grpc-message': text }, { endStream: true });
}
/** What a header may not hold as it is. */
const NOT_PLAIN = /[^\x20-\x24\x26-\x7e]+/g;

const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** ms; Infinity where none is set. */
function timeLeft(header: string | string[] | undefined): number {
  const [, count, unit] = /^(\d{1,8})([HMSmun])$/.exec(String(header)) ?? [];
  return count !== undefined && unit !== undefined ? Number(count) * (UNITS[unit] as number) : Number.POSITIVE_INFINITY;
}
