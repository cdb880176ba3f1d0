import { readFileSync } from 'node:fs';
import type { Pool } from 'undici';
import { systemClock } from '../clock.ts';
import { reread } from './reread.ts';

/** Where an API server is and how to be someone there. Who read the kubeconfig fills this in. */
export interface ClusterConnection {
  /** `https://host:port`, with a path when the server is behind a proxy that has one. */
  readonly server: string;
  /** The name of a kubeconfig's context, for people. */
  readonly context?: string | undefined;
  /** PEM. A function is asked for each new connection, so that a rotated CA needs no restart. */
  readonly ca?: string | (() => string) | undefined;
  /**
   * PEM client certificate and its key. Functions are asked for each request, so they must be cheap; once they return another pair, no
   * request uses a connection that was opened with the old one.
   */
  readonly cert?: string | (() => string | undefined) | undefined;
  readonly key?: string | (() => string | undefined) | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** The name that the server's certificate is checked for, instead of the host of `server`. */
  readonly tlsServerName?: string | undefined;
  /** `http://` or `https://`, with user and password if it wants them: connections lead through it, by CONNECT. */
  readonly proxy?: string | undefined;
  /** Asked for each request; must be cheap. */
  readonly token?: (() => string | undefined | Promise<string | undefined>) | undefined;
  /** The API server has answered 401 to this token: it is not sent again, if there is a way to have another one. */
  readonly refused?: ((token: string | undefined) => void) | undefined;
  /** Headers of each request, such as those of an impersonation. */
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
  /** The default namespace of this identity. */
  readonly namespace?: string | undefined;
  /** Instead of connections of the client's own: a simulation decides when each request and each answer arrives. */
  readonly pools?: ((connections: number) => Pools) | undefined;
}

/** The connections to one API server, asked for with each request: with another client certificate they are others. */
export interface Pools {
  /** For requests that end: so many at most. */
  readonly requests: Pool;
  /** For watches: a connection for each. */
  readonly streams: Pool;
  /** Ends watches at once, and lets requests under way finish. */
  close(): Promise<void>;
}

/** The headers that say who asks, and the token among them. */
export async function identityHeaders({ token, headers }: ClusterConnection): Promise<{
  readonly token: string | undefined;
  readonly headers: Record<string, string | string[]>;
}> {
  const bearer = await token?.();
  return { token: bearer, headers: { ...headers, ...(bearer && { authorization: `Bearer ${bearer}` }) } };
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
/**
 * The connection of a pod, from its ServiceAccount: kubernetes.io/docs/tasks/run-application/access-api-from-pod.
 *
 * @throws Error outside a pod, naming what is missing
 */
export function inClusterConnection(
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
  env: Readonly<Record<string, string | undefined>> = process.env,
  elapsed: () => number = systemClock.monotonic,
): ClusterConnection {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) throw new Error('not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  const token = reread(() => readFile(`${SERVICE_ACCOUNT}/token`).trim(), elapsed);
  const ca = reread(() => readFile(`${SERVICE_ACCOUNT}/ca.crt`), elapsed);
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: ca.value,
    token: token.value,
    refused: token.forget,
    namespace: readFile(`${SERVICE_ACCOUNT}/namespace`).trim(),
  };
}
