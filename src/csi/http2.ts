/**
 * HTTP/2 (RFC 9113) for requests that are answered as a whole: no priorities, no pushing, no upgrade. For sockets that only root can reach;
 * docs/adr/0022-grpc-on-a-small-http2.md says why not Node's own.
 */
import type { Socket } from 'node:net';
import { headerBlock, type Headers, headerReader } from './hpack.ts';
import { flag, frame, frameHead, frameReader, MOST_FRAME, numbers, reason, setting, unpadded } from './http2-frames.ts';

export interface Incoming {
  readonly headers: Headers;
  /** undefined: longer than MOST_BYTES. */
  readonly body: Buffer | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

export interface Outgoing {
  readonly headers: Headers;
  /** Where there is none, there are no trailers either. */
  readonly body?: Buffer;
  readonly trailers?: Headers;
}

export interface Connection {
  /** Takes no more requests, answers those under way, and ends. */
  close(): void;
}

/** More than any request of CSI has; as much as gRPC's own servers take. */
export const MOST_BYTES = 4 << 20;
const MOST_HEADER_BYTES = 64 << 10;
const MOST_STREAMS = 1_000;
/** Of answers that a peer does not read. */
const MOST_UNREAD_BYTES = 16 << 20;

/** How much may be sent before the peer gives way, until it says otherwise. */
const WINDOW = 65_535;

interface Stream {
  readonly id: number;
  readonly headers: Headers;
  chunks: Buffer[];
  length: number;
  isWhole: boolean;
  /** How much the peer takes of it. */
  window: number;
  readonly gone: AbortController;
  /** What is still to be sent. */
  left?: Buffer;
  trailers?: Headers | undefined;
}

export function serveHttp2(socket: Socket, answer: (request: Incoming) => Promise<Outgoing>): Connection {
  const streams = new Map<number, Stream>();
  const readHeaders = headerReader();
  let output: Buffer[] = [];
  let isClosing = false;
  let last = 0;
  let [window, initial] = [WINDOW, WINDOW];
  /** A header block that goes on in the next frame. */
  let block: { readonly id: number; readonly flags: number; readonly parts: Buffer[] } | undefined;

  const send = (type: number, flags: number, id: number, body: Buffer) => void output.push(frameHead(type, flags, id, body.length), body);
  const sendNumber = (type: number, id: number, value: number) => send(type, 0, id, numbers(value));

  function sendHeaders(id: number, headers: Headers, isEnd: boolean): void {
    const bytes = headerBlock(headers);
    for (let at = 0; at === 0 || at < bytes.length; at += MOST_FRAME) {
      const flags = (at === 0 && isEnd ? flag.END_STREAM : 0) | (at + MOST_FRAME >= bytes.length ? flag.END_HEADERS : 0);
      send(at === 0 ? frame.HEADERS : frame.CONTINUATION, flags, id, bytes.subarray(at, at + MOST_FRAME));
    }
  }

  /** All that was sent in this turn at once. */
  function flush(): void {
    const bytes = output;
    output = [];
    if (bytes.length > 0 && !socket.destroyed) socket.write(Buffer.concat(bytes));
    if (socket.writableLength > MOST_UNREAD_BYTES) socket.destroy();
    if (isClosing && streams.size === 0) socket.end();
  }

  function sendBodies(): void {
    for (const stream of streams.values()) {
      while (stream.left && (stream.left.length === 0 || (window > 0 && stream.window > 0))) {
        const part = stream.left.subarray(0, Math.min(window, stream.window, MOST_FRAME));
        window -= part.length;
        stream.window -= part.length;
        const left = stream.left.subarray(part.length);
        const isEnd = left.length === 0;
        send(frame.DATA, isEnd && !stream.trailers ? flag.END_STREAM : 0, stream.id, part);
        stream.left = left;
        if (!isEnd) continue;
        if (stream.trailers) sendHeaders(stream.id, stream.trailers, true);
        streams.delete(stream.id);
        break;
      }
    }
  }

  async function serve(stream: Stream): Promise<void> {
    const { id, headers, gone, length, chunks } = stream;
    const body = length > MOST_BYTES ? undefined : chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    stream.chunks = [];
    const { headers: told, body: left, trailers } = await answer({ headers, body, gone: gone.signal });
    if (streams.get(id) !== stream) return;
    sendHeaders(id, told, left === undefined);
    if (left === undefined) streams.delete(id);
    else Object.assign(stream, { left, trailers });
    sendBodies();
    flush();
  }

  function forget(stream: Stream): void {
    streams.delete(stream.id);
    stream.gone.abort();
  }

  function whole(stream: Stream): void {
    if (stream.isWhole) throw new Error('a request that had ended goes on');
    stream.isWhole = true;
    void serve(stream).catch((error: unknown) => socket.destroy(error as Error));
  }

  function begin(id: number, flags: number, bytes: Buffer): void {
    const headers = readHeaders(bytes);
    const known = streams.get(id);
    // Trailers.
    if (known) return whole(known);
    // Of one that was given up meanwhile.
    if (id <= last) return;
    if (id % 2 === 0) throw new Error('an even stream of a client');
    last = id;
    if (isClosing || streams.size >= MOST_STREAMS) return sendNumber(frame.RST_STREAM, id, reason.REFUSED_STREAM);
    const stream = { id, headers, chunks: [], length: 0, isWhole: false, window: initial, gone: new AbortController() };
    streams.set(id, stream);
    if (flags & flag.END_STREAM) whole(stream);
  }

  function take(type: number, flags: number, id: number, body: Buffer): void {
    if (block && (type !== frame.CONTINUATION || id !== block.id)) throw new Error('a header block is cut short');
    const stream = streams.get(id);
    switch (type) {
      case frame.DATA: {
        if (body.length > 0) sendNumber(frame.WINDOW_UPDATE, 0, body.length);
        if (!stream) return;
        const bytes = unpadded(flags, body);
        stream.length += bytes.length;
        if (stream.length <= MOST_BYTES) stream.chunks.push(bytes);
        if (flags & flag.END_STREAM) whole(stream);
        else if (body.length > 0) sendNumber(frame.WINDOW_UPDATE, id, body.length);
        return;
      }
      case frame.HEADERS: {
        const bytes = unpadded(flags, body).subarray(flags & flag.PRIORITY ? 5 : 0);
        if (flags & flag.END_HEADERS) begin(id, flags, bytes);
        else block = { id, flags, parts: [bytes] };
        return;
      }
      case frame.CONTINUATION: {
        if (!block) throw new Error('nothing goes on');
        block.parts.push(body);
        if (block.parts.reduce((sum, part) => sum + part.length, 0) > MOST_HEADER_BYTES) throw new Error('a header block is too long');
        if (!(flags & flag.END_HEADERS)) return;
        const { flags: first, parts } = block;
        block = undefined;
        return begin(id, first, Buffer.concat(parts));
      }
      case frame.RST_STREAM:
        return stream && forget(stream);
      case frame.SETTINGS:
        if (flags & flag.ACK) return;
        for (let at = 0; at + 6 <= body.length; at += 6)
          if (body.readUInt16BE(at) === setting.INITIAL_WINDOW_SIZE) resize(body.readUInt32BE(at + 2));
        send(frame.SETTINGS, flag.ACK, 0, Buffer.alloc(0));
        return sendBodies();
      case frame.PING:
        return flags & flag.ACK ? undefined : send(frame.PING, flag.ACK, 0, body);
      case frame.WINDOW_UPDATE: {
        const more = body.readUInt32BE(0) & 0x7fff_ffff;
        if (id === 0) window += more;
        else if (stream) stream.window += more;
        return sendBodies();
      }
      case frame.PUSH_PROMISE:
        throw new Error('a client pushes');
      // Priorities, the peer's own end, and what is not known is passed over.
    }
  }

  function resize(to: number): void {
    for (const stream of streams.values()) stream.window += to - initial;
    initial = to;
  }

  const read = frameReader(take);
  socket.on('data', (bytes: Buffer) => {
    try {
      read(bytes);
      flush();
    } catch {
      send(frame.GOAWAY, 0, 0, numbers(last, reason.PROTOCOL_ERROR));
      flush();
      socket.destroy();
    }
  });
  // 'close' tells as well.
  socket.on('error', () => {});
  socket.once('close', () => {
    for (const stream of streams.values()) forget(stream);
  });
  const limit = Buffer.alloc(6);
  limit.writeUInt16BE(setting.MAX_CONCURRENT_STREAMS, 0);
  limit.writeUInt32BE(MOST_STREAMS, 2);
  send(frame.SETTINGS, 0, 0, limit);
  flush();

  return {
    close() {
      isClosing = true;
      send(frame.GOAWAY, 0, 0, numbers(last, reason.NO_ERROR));
      flush();
    },
  };
}
