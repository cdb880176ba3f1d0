import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { webhookNames } from '../../api/webhook-names.ts';
import type { Log } from '../../kube/types.ts';
import type { Answer } from './admit.ts';

// Not imported: the ES modules load Node's own fetch too, which takes 14 MB.
const { createServer } = process.getBuiltinModule('node:https');

export interface Pair {
  readonly certificate: string;
  readonly key: string;
}
export interface WebhookServer {
  readonly port: number;
  /** Connections from now on are served with this certificate. */
  use(pair: Pair): void;
  /** From now on each answer ends its connection, so that clients ask another replica. */
  drain(): void;
  /** Takes no further connections, answers what was asked, and closes all connections. */
  stop(): Promise<void>;
}

/** The API server's own limit for a request; an AdmissionReview has a pod once, and little else. */
const LARGEST_BODY = 3 << 20;
/** Of all requests under way: a parsed pod takes several times as much. */
const LARGEST_SUM = 24 << 20;
/** API servers keep a connection for 90 s without a request. One that we closed meanwhile could cost an admission. */
const KEEP_MS = 120_000;
/** Answers are there within 10 s. */
const DRAIN_MS = 12_000;
const MOST_CONNECTIONS = 1_000;

/** Serves admissions at Fluid's path. Nothing is served before `use` was called with a first certificate. */
export async function serveWebhook(port: number, first: Pair, admit: (text: string) => Promise<Answer>, log: Log): Promise<WebhookServer> {
  let bytes = 0;
  let isStopping = false;
  const idle = new Set<Socket>();
  const server = createServer({
    cert: first.certificate,
    key: first.key,
    minVersion: 'TLSv1.2',
    keepAliveTimeout: KEEP_MS,
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    handshakeTimeout: 5_000,
    // How often these times are checked.
    connectionsCheckingInterval: 2_000,
  });
  server.maxConnections = MOST_CONNECTIONS;
  // A client that never asks anything, and one that does not read its answer.
  server.setTimeout(KEEP_MS);
  server.on('request', (request, response) => {
    idle.delete(request.socket);
    response.once('close', () => !request.socket.destroyed && idle.add(request.socket));
    const reply = ({ status, body }: Answer): void => {
      const type = status === 200 ? 'application/json' : 'text/plain';
      // A connection whose request was not read to its end has no next one.
      const closes = isStopping || !request.complete;
      // With its length an answer is one write, and is not sent in chunks.
      const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
      response.writeHead(status, { ...headers, ...(closes && { connection: 'close' }) }).end(body);
    };
    answer(request, response).then(reply, (error: unknown) => {
      log.error({ err: error }, 'a request for an admission could not be answered; this is a defect of Sluice');
      reply({ status: 500, body: 'the webhook met a defect, which its log describes\n' });
    });
  });
  server.on('secureConnection', (socket) => {
    idle.add(socket);
    socket.once('close', () => idle.delete(socket));
  });
  // Clients that speak no TLS, or close early, are no event of ours.
  server.on('tlsClientError', (error) => log.debug({ error: error.message }, 'a TLS handshake failed'));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<Answer> {
    if (request.url?.split('?')[0] !== webhookNames.path) return refusal(404, `expected ${webhookNames.path} as path`);
    if (request.method !== 'POST') return refusal(405, `expected POST, found ${request.method}`);
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > LARGEST_BODY) return refusal(413, `expected at most ${LARGEST_BODY} bytes, found ${announced}`);
    const text = await textOf(request, response);
    return typeof text === 'string' ? admit(text) : text;
  }

  /** The body, or why it is not taken. Iterating over a request would destroy it, and with it the answer. */
  function textOf(request: IncomingMessage, response: ServerResponse): Promise<string | Answer> {
    const chunks: Buffer[] = [];
    let held = 0;
    // A request counts until its answer was sent or given up.
    response.once('close', () => (bytes -= held));
    return new Promise((resolve) => {
      request.on('data', (chunk: Buffer) => {
        held += chunk.length;
        bytes += chunk.length;
        if (held <= LARGEST_BODY && bytes <= LARGEST_SUM) return void chunks.push(chunk);
        request.pause().removeAllListeners('data');
        resolve(
          held > LARGEST_BODY
            ? refusal(413, `expected at most ${LARGEST_BODY} bytes, found more`)
            : refusal(503, `expected at most ${LARGEST_SUM} bytes of requests at once; retry`),
        );
      });
      request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      // The client went away; nobody reads the answer.
      request.once('close', () => resolve(refusal(400, 'expected a whole request')));
    });
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    use: ({ certificate, key }) => server.setSecureContext({ cert: certificate, key, minVersion: 'TLSv1.2' }),
    drain() {
      isStopping = true;
    },
    async stop() {
      isStopping = true;
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      // Node counts a connection that has not asked anything yet as one that is about to.
      for (const socket of idle) socket.destroy();
      const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await closed;
      clearTimeout(cut);
    },
  };
}

const refusal = (status: number, message: string): Answer => ({ status, body: `${message}\n` });
