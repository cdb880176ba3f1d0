/** A TLS server that says who asked it, a proxy that does CONNECT, and kubeconfigs in files: all on this machine. */
import { createServer as createHttp, type IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { createCa, issue } from '../../../harness/control-plane/pki.ts';

const authority = await createCa(new Date());
export const pair = async (user: string) => {
  const { certificate, key } = await issue(authority, { user }, new Date());
  return { cert: certificate, key };
};

export interface Seen {
  readonly headers: IncomingHttpHeaders;
  readonly raw: readonly string[];
  /** Subject of the client's certificate. */
  readonly user: string | undefined;
  readonly servername: string | false | undefined;
  readonly upgrade: boolean;
}

/** Answers each request with `{}`, or with 401 where `refuses` says so. */
export async function apiServer({
  host = '127.0.0.1',
  refuses = () => false,
}: {
  readonly host?: string;
  readonly refuses?: (seen: Seen) => boolean;
} = {}) {
  const theirs = await issue(authority, { user: 'server', hosts: [host] }, new Date());
  const seen: Seen[] = [];
  const server = createServer({
    key: theirs.key,
    cert: theirs.certificate,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: false,
  });
  const note = (request: { headers: IncomingHttpHeaders; rawHeaders: string[]; socket: unknown }, upgrade: boolean): Seen => {
    const socket = request.socket as TLSSocket & { servername?: string | false };
    const cn = socket.getPeerCertificate().subject?.CN as string | undefined;
    const one = { headers: request.headers, raw: request.rawHeaders, user: cn, servername: socket.servername, upgrade };
    seen.push(one);
    return one;
  };
  server.on('request', (request, response) => {
    response.statusCode = refuses(note(request, false)) ? 401 : 200;
    const metadata = { resourceVersion: '1' };
    const isWatch = request.url?.includes('watch=true');
    response.end(`${JSON.stringify(isWatch ? { type: 'BOOKMARK', object: { metadata } } : { items: [], metadata })}\n`);
  });
  server.on('upgrade', (request, socket) => {
    note(request, true);
    socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n');
  });
  await listening(server);
  onTestFinished(() => (server.closeAllConnections(), void server.close()));
  const { port } = server.address() as AddressInfo;
  return { seen, port, url: `https://${host}:${port}` };
}

/** Leads each connection to 127.0.0.1, for every host. */
export async function connectProxy({ refuses = false } = {}) {
  const asked: { readonly target: string; readonly authorization: string | undefined }[] = [];
  const open = new Set<Socket>();
  const server = createHttp((_, response) => response.writeHead(405).end());
  server.on('connect', (request, client: Socket, head) => {
    asked.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    if (refuses) return client.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
    const upstream = connect(Number((request.url ?? '').split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    for (const socket of [client, upstream]) open.add(socket.on('error', () => {}));
  });
  await listening(server);
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { asked, port: (server.address() as AddressInfo).port };
}

const listening = (server: { listen(port: number, host: string, done: () => void): unknown }) =>
  new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));

export interface Folder {
  readonly path: string;
  write(name: string, text: string, mode?: number): string;
  /** A kubeconfig of one context; JSON is YAML. */
  kubeconfig(cluster: object, user?: object, name?: string): string;
}
export function folder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'sluice-kubeconfig-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const write = (name: string, text: string, mode = 0o600) => {
    writeFileSync(join(path, name), text);
    chmodSync(join(path, name), mode);
    return join(path, name);
  };
  return {
    path,
    write,
    kubeconfig: (cluster, user = {}, name = 'config') =>
      write(
        name,
        JSON.stringify({
          'current-context': 'x',
          contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
          clusters: [{ name: 'c', cluster }],
          users: [{ name: 'u', user }],
        }),
      ),
  };
}
export const caData = { 'certificate-authority-data': Buffer.from(authority.certificate).toString('base64') };
