/** The wire of the playground: HTTPS on loopback, for those who have the token. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TlsOptions } from 'node:tls';
import { timingSafeEqual } from 'node:crypto';
import { refusalAnswer, type WireAnswer } from '../api-server/wire/answers.ts';
import type { WireStream } from '../api-server/wire/streams.ts';
import { isProtobuf, mediaType, type Sent } from '../api-server/wire/requests.ts';
import { Refusal } from '../api-server/index.ts';
import { createListener, type Listener } from '../kube/listen/listener.ts';

/** Clients of one machine. A watch is silent for as long as nothing changes. */
const LIMITS = { most: 1_000, mostOfPeer: 1_000, headerBytes: 32 << 10, headersMs: 10_000, requestMs: 60_000, idleMs: 3_600_000 };
/** As etcd: 1.5 MiB, and room for the JSON around it. */
const MOST_BYTES = 3 << 20;

export type Answering = (sent: Sent, signal: AbortSignal) => Promise<WireAnswer | WireStream>;

/** @param onFault an error that is none of the client's */
export function createWireListener(tls: TlsOptions, token: string, answer: Answering, onFault: (error: unknown) => void): Listener {
  const listener = createListener({ ...LIMITS, tls });
  listener.server.on('request', (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    serve(request, response, gone.signal).catch((error: unknown) => {
      if (gone.signal.aborted) return;
      onFault(error);
      if (response.headersSent) response.destroy();
      else send(response, refusalAnswer(new Refusal(500, 'InternalError', `Internal error occurred: ${String(error)}`)));
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const refused = whyRefused(request.headers, token);
    if (refused) {
      request.resume();
      return send(response, refusalAnswer(refused));
    }
    const body = await bodyOf(request);
    if (body === undefined)
      return send(response, refusalAnswer(new Refusal(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MOST_BYTES}`)));
    const { method = 'GET', url = '/', headers } = request;
    const answered = await answer({ method, path: url, headers, body }, signal);
    if (!('lines' in answered)) return send(response, answered);
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    for await (const line of answered.lines)
      if (!response.write(line))
        while (!(await drained(response, signal)))
          // As a real server does it with a client that does not read: that has nothing to go on from.
          if (answered.isLost()) return void response.destroy();
    response.end();
  }
  return listener;
}

function send(response: ServerResponse, { status, headers, text }: WireAnswer): void {
  const type = text.startsWith('{') ? 'application/json' : 'text/plain';
  response.writeHead(status, { 'content-type': type, ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
}

/** Authentication: there is one user, with one token, who cannot impersonate another. */
export function whyRefused(headers: IncomingMessage['headers'], token: string): Refusal | undefined {
  const given = Buffer.from(headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return new Refusal(401, 'Unauthorized', 'Unauthorized');
  if (Object.keys(headers).some((name) => name.startsWith('impersonate-')))
    return new Refusal(403, 'Forbidden', 'impersonation is not served: this server has one user, and makes no checks of rights');
  return undefined;
}

async function bodyOf(request: IncomingMessage): Promise<Sent['body'] | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) {
      request.resume();
      return undefined;
    }
    chunks.push(chunk);
  }
  const whole = Buffer.concat(chunks);
  return bytes === 0 ? null : isProtobuf(mediaType(request.headers['content-type'])) ? whole : whole.toString('utf8');
}

/** How often it is asked whether there is anything left for a client that does not read, ms. */
const ASK_MS = 1_000;

/** Whether the client has read what was sent, or is gone. */
const drained = (response: ServerResponse, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (is: boolean) => () => {
      clearTimeout(timer);
      response.off('drain', read);
      signal.removeEventListener('abort', read);
      resolve(is);
    };
    const read = end(true);
    const timer = setTimeout(end(false), ASK_MS);
    response.once('drain', read);
    signal.addEventListener('abort', read, { once: true });
  });
