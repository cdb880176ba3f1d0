/**
 * The kubelet end point of the simulated nodes, in front of kwok's.
 *
 * kwok would run a pod's command as a program of this machine (`rm -rf`, `sh -c …`) and does not know which pod asked. So the command is
 * answered from the canned answers: kwok is handed `sh` and the files to replay, and its exit code is put back where the protocol wants it
 * (kwok 0.7.0 loses it). The same server admits new pods: those that a test wants to fail get the annotations that make kwok play it.
 */

import { createReadStream, existsSync } from 'node:fs';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { admit } from './admission.ts';
import type { ExecCall } from '../../src/playground/engines/exec-call.ts';
import { asksBySocket, replayOnSocket } from './exec-sockets.ts';
import { answerTo, recordCall, type Replay } from './exec-replay.ts';
import { logAsked } from './pod-logs.ts';
import { spdyReplay } from './spdy.ts';

export interface KubeletServer {
  readonly port: number;
  close(): void;
}

interface Options {
  readonly dir: string;
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
  readonly kwokPort: number;
}

const REPLAY = 'cat "$1"; cat "$2" >&2; exit "$3"';

export async function serveKubelet({ dir, certificate, key, ca, kwokPort }: Options): Promise<KubeletServer> {
  const server: Server = createServer({ cert: certificate, key, ca, requestCert: true, rejectUnauthorized: false });
  server.on('request', (incoming, response) => {
    if (incoming.url?.startsWith('/admit') === true) return void admit(dir, incoming, response);
    // Everything else is the API server's alone, which shows its client certificate.
    if (!(incoming.socket as TLSSocket).authorized) return void response.writeHead(401).end();
    const log = logAsked(dir, new URL(incoming.url ?? '/', 'https://kubelet').pathname);
    if (log !== undefined && existsSync(log)) return void createReadStream(log).pipe(response);
    forward(kwokPort, incoming, response);
  });
  const onSocket = replayOnSocket();
  server.on('upgrade', (incoming, socket: TLSSocket, head) => {
    if (!socket.authorized) return socket.destroy();
    socket.on('error', () => socket.destroy());
    const { url, replay } = replayed(dir, incoming.url ?? '/');
    if (replay && asksBySocket(incoming)) return onSocket(incoming, socket, head, replay);
    // With Nagle's algorithm on these sockets every exec would take 130 ms longer.
    const upstream = connect({ port: kwokPort, host: '127.0.0.1', noDelay: true });
    socket.setNoDelay(true);
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
    upstream.write(requestHead(incoming, url));
    upstream.write(head);
    socket.pipe(upstream);
    upstream.pipe(spdyReplay(replay?.exitCode ?? 0, replay?.delayMs ?? 0)).pipe(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/** An exec request turned into the replay of its answer; anything else as it is. */
function replayed(dir: string, url: string): { readonly url: string; readonly replay?: Replay } {
  const { pathname, searchParams } = new URL(url, 'https://kubelet');
  const [, verb, namespace = '', pod = '', ...rest] = pathname.split('/');
  if (verb !== 'exec') return { url };
  const call: ExecCall = {
    time: new Date().toISOString(),
    namespace,
    pod,
    container: rest.at(-1) ?? '',
    argv: searchParams.getAll('command'),
  };
  const replay = answerTo(dir, call);
  recordCall(dir, call);
  searchParams.delete('command');
  const { stdoutFile, stderrFile, exitCode } = replay;
  for (const word of ['/bin/sh', '-c', REPLAY, 'replay', stdoutFile, stderrFile, String(exitCode)]) searchParams.append('command', word);
  return { url: `${pathname}?${searchParams}`, replay };
}

function requestHead(incoming: IncomingMessage, url: string): string {
  const headers: string[] = [];
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) headers.push(`${incoming.rawHeaders[i]}: ${incoming.rawHeaders[i + 1]}`);
  return `${incoming.method} ${url} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
}

function forward(port: number, incoming: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', url: path = '/', headers } = incoming;
  const upstream = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  incoming.pipe(upstream);
}
