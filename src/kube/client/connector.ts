import type { Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import type { ClusterConnection } from './connection.ts';

/** Linux asks a silent peer 10 times a second apart after this, so that a vanished machine is noticed within 15 s. No request of the API's is made for it. */
const KEEP_ALIVE_MS = 4_000;
const CONNECT_MS = 5_000;

/** Opens a connection to the API server, through its proxy and TLS: requests, watches and commands in pods have the same. */
export type Connector = buildConnector.connector;

export const certificateOf = ({ cert, key }: Pick<ClusterConnection, 'cert' | 'key'>) => ({ cert: asked(cert), key: asked(key) });
const asked = <T>(value: T | (() => T)): T => (typeof value === 'function' ? (value as () => T)() : value);

/** Connects with the CA and the certificate of the moment; undici's own connector, which keeps TLS sessions, is made anew only when they changed. */
export function createConnector(connection: ClusterConnection): Connector {
  const { insecureSkipTlsVerify, tlsServerName, proxy } = connection;
  type Trust = { readonly ca: string | undefined; readonly cert: string | undefined; readonly key: string | undefined };
  const timing = { allowH2: false, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS, timeout: CONNECT_MS } as const;
  const optionsOf = ({ ca, cert, key }: Trust) => ({
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    rejectUnauthorized: !insecureSkipTlsVerify,
    ...timing,
  });
  let current: (Trust & { readonly connect: Connector }) | undefined;
  function direct(): Trust & { readonly connect: Connector } {
    const trust = { ca: asked(connection.ca), ...certificateOf(connection) };
    if (current === undefined || current.ca !== trust.ca || current.cert !== trust.cert || current.key !== trust.key)
      current = { ...trust, connect: buildConnector(optionsOf(trust)) };
    return current;
  }
  return (target, done) => {
    const { connect, ...trust } = direct();
    const to = { ...target, ...(tlsServerName !== undefined && target.protocol === 'https:' && { servername: tlsServerName }) };
    if (proxy === undefined) return connect(to, done);
    tunnel(proxy, target, optionsOf(trust)).then(
      (httpSocket) => (target.protocol === 'https:' ? connect({ ...to, httpSocket }, done) : done(null, httpSocket)),
      (error: Error) => done(error, null),
    );
  };
}

/** A connection to the target through the proxy: RFC 9110 §9.3.6. */
async function tunnel(proxy: string, target: buildConnector.Options, options: buildConnector.BuildOptions): Promise<Socket> {
  const { origin, host, protocol, username, password } = new URL(proxy);
  const client = new Client(origin, { connect: options, headersTimeout: CONNECT_MS });
  const address = `${target.hostname.includes(':') ? `[${target.hostname}]` : target.hostname}:${target.port || (target.protocol === 'https:' ? 443 : 80)}`;
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const failed = (reason: string, cause?: unknown) =>
    // Nothing was sent to the server: as of a failed connection.
    Object.assign(new Error(`proxy ${protocol}//${host}: no connection to ${address}: ${reason}`, { cause }), { syscall: 'connect' });
  const answer = await client
    .connect({ path: address, headers: { host: address, ...(username && { 'proxy-authorization': `Basic ${basic}` }) } })
    .catch((error: Error) => {
      throw failed(error.message, error);
    });
  if (answer.statusCode === 200) return answer.socket as Socket;
  answer.socket.destroy();
  throw failed(`it answered ${answer.statusCode}`);
}
