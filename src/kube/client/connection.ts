import { readFileSync } from 'node:fs';
import type { Pool } from 'undici';

/** Where an API server is and how to be someone there. Who read the kubeconfig fills this in. */
export interface ClusterConnection {
  /** `https://host:port`, with a path when the server is behind a proxy that has one. */
  readonly server: string;
  /** PEM. A function is asked for each new connection, so that a rotated CA needs no restart. */
  readonly ca?: string | (() => string) | undefined;
  /** PEM client certificate and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** Asked for each request; must be cheap. */
  readonly token?: (() => string | undefined | Promise<string | undefined>) | undefined;
  /** The default namespace of this identity. */
  readonly namespace?: string | undefined;
  /** Instead of connections of the client's own: a simulation decides when each request and each answer arrives. */
  readonly pools?: ((connections: number) => Pools) | undefined;
}

/** The connections to one API server. */
export interface Pools {
  /** For requests that end: so many at most. */
  readonly requests: Pool;
  /** For watches: a connection for each. */
  readonly streams: Pool;
  /** Ends watches at once, and lets requests under way finish. */
  close(): Promise<void>;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
/** The kubelet replaces a token at 80 % of its life, at the latest after 24 h: a minute late is early enough (client-go does the same). */
const REREAD_MS = 60_000;

/**
 * The connection of a pod, from its ServiceAccount: kubernetes.io/docs/tasks/run-application/access-api-from-pod.
 *
 * @throws Error outside a pod, naming what is missing
 */
export function inClusterConnection(
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
  env: Readonly<Record<string, string | undefined>> = process.env,
  elapsed: () => number = () => performance.now(),
): ClusterConnection {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) throw new Error('not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  const token = reread(() => readFile(`${SERVICE_ACCOUNT}/token`).trim(), elapsed);
  const ca = reread(() => readFile(`${SERVICE_ACCOUNT}/ca.crt`), elapsed);
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca,
    token,
    namespace: readFile(`${SERVICE_ACCOUNT}/namespace`).trim(),
  };
}

/** Reads now, so that a missing file is found at start; a later failure keeps what was read before. */
function reread(read: () => string, elapsed: () => number): () => string {
  let value = read();
  let readAt = elapsed();
  return () => {
    if (elapsed() - readAt < REREAD_MS) return value;
    readAt = elapsed();
    try {
      value = read();
    } catch {
      // A projected volume is swapped by symlink; if we met the moment, the old token is valid for a good while yet.
    }
    return value;
  };
}
