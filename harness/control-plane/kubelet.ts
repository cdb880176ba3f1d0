/**
 * The kubelet end point of the simulated nodes, in front of kwok's.
 *
 * kwok would run a pod's command as a program of this machine (`rm -rf`, `sh -c …`) and does not know which pod asked. So the command is
 * answered from the canned answers: kwok is handed `sh` and the files to replay, and its exit code is put back where the protocol wants it
 * (kwok 0.7.0 loses it). The same server admits new pods: those that a test wants to fail get the annotations that make kwok play it.
 */

import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { admit } from './admission.ts';
import type { ExecCall } from '../../src/playground/engines/exec-call.ts';
import { answerTo, recordCall } from './exec-replay.ts';
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
    forward(kwokPort, incoming, response);
  });
  server.on('upgrade', (incoming, socket: TLSSocket, head) => {
    if (!socket.authorized) return socket.destroy();
    socket.on('error', () => socket.destroy());
    const replay = replayed(dir, incoming.url ?? '/');
    // With Nagle's algorithm on these sockets every exec would take 130 ms longer.
    const upstream = connect({ port: kwokPort, host: '127.0.0.1', noDelay: true });
    socket.setNoDelay(true);
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
    upstream.write(requestHead(incoming, replay.url));
    upstream.write(head);
    socket.pipe(upstream);
    upstream.pipe(spdyReplay(replay.exitCode, replay.delayMs)).pipe(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/** An exec request turned into the replay of its answer; anything else as it is. */
function replayed(dir: string, url: string): { readonly url: string; readonly exitCode: number; readonly delayMs: number } {
  const { pathname, searchParams } = new URL(url, 'https://kubelet');
  const [, verb, namespace = '', pod = '', ...rest] = pathname.split('/');
  if (verb !== 'exec') return { url, exitCode: 0, delayMs: 0 };
  const call: ExecCall = {
    time: new Date().toISOString(),
    namespace,
    pod,
    container: rest.at(-1) ?? '',
    argv: searchParams.getAll('command'),
  };
  const { stdoutFile, stderrFile, exitCode, delayMs } = answerTo(dir, call);
  recordCall(dir, call);
  searchParams.delete('command');
  for (const word of ['/bin/sh', '-c', REPLAY, 'replay', stdoutFile, stderrFile, String(exitCode)]) searchParams.append('command', word);
  return { url: `${pathname}?${searchParams}`, exitCode, delayMs };
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
