/** What goes over an HTTP/2 connection, byte by byte (RFC 9113, 4 and 6). */

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const HEAD = 9;
/** Until a peer has agreed to longer ones, which we do not. */
export const MOST_FRAME = 16_384;
export const frame = {
  DATA: 0,
  HEADERS: 1,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;
export const flag = { END_STREAM: 1, ACK: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 32 } as const;
export const setting = { MAX_CONCURRENT_STREAMS: 3, INITIAL_WINDOW_SIZE: 4 } as const;
export const reason = { NO_ERROR: 0, PROTOCOL_ERROR: 1, REFUSED_STREAM: 7 } as const;

export function frameHead(type: number, flags: number, id: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD);
  head.writeUIntBE(length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(id, 5);
  return head;
}

type Take = (type: number, flags: number, id: number, body: Buffer) => void;

/** Is given what a client sends, as it comes. @throws Error for what is no HTTP/2, and what `take` throws */
export function frameReader(take: Take): (bytes: Buffer) => void {
  let input: Buffer = Buffer.alloc(0);
  let isGreeted = false;
  return (bytes) => {
    input = input.length === 0 ? bytes : Buffer.concat([input, bytes]);
    if (!isGreeted) {
      if (input.length < PREFACE.length) return;
      if (!input.subarray(0, PREFACE.length).equals(PREFACE)) throw new Error('no HTTP/2');
      isGreeted = true;
      input = input.subarray(PREFACE.length);
    }
    while (input.length >= HEAD) {
      const length = input.readUIntBE(0, 3);
      if (length > MOST_FRAME) throw new Error('a frame is too long');
      if (input.length < HEAD + length) return;
      const [type = 0, flags = 0] = input.subarray(3, 5);
      const id = input.readUInt32BE(5) & 0x7fff_ffff;
      const body = input.subarray(HEAD, HEAD + length);
      input = input.subarray(HEAD + length);
      take(type, flags, id, body);
    }
  };
}

export function unpadded(flags: number, body: Buffer): Buffer {
  if (!(flags & flag.PADDED)) return body;
  const padding = body[0] ?? 0;
  if (padding >= body.length) throw new Error('more padding than there is');
  return body.subarray(1, body.length - padding);
}

export function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * values.length);
  values.forEach((value, i) => bytes.writeUInt32BE(value, 4 * i));
  return bytes;
}
