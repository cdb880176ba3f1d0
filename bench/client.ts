/** A bare client: what any client gets from this API server with so many connections. It retries nothing and keeps nothing. */
import { readFileSync } from 'node:fs';
import { Agent, request, WebSocket } from 'undici';
import type { KubeObject } from '../src/kube/types.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export interface Client {
  /** Sends a text as it is, anything else as JSON. The object in the answer; throws with the server's message when that is no success. */
  send(method: Method, path: string, body?: unknown, contentType?: string): Promise<KubeObject>;
  list(path: string): Promise<readonly KubeObject[]>;
  /** Runs a command in a container, with any exit code; throws when it did not run. Its output is thrown away. */
  exec(path: string): Promise<void>;
  /** Reports every object that exists, then every change, until stopped; all of them again after the server has ended the stream. `at` is performance.now() when it came. */
  watch(path: string, onEvent: (event: WatchEvent) => void): Promise<() => void>;
  close(): Promise<void>;
}
export interface WatchEvent {
  readonly type: string;
  readonly object: KubeObject;
  readonly at: number;
}
const STATUS_CHANNEL = 3;
export const MERGE = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const APPLY = 'application/apply-patch+yaml';

/** @param kubeconfig path of one that startControlPlane or a playground wrote: JSON, everything embedded */
export function openClient(kubeconfig: string, connections = 16): Client {
  const { server, connect, headers } = credentials(kubeconfig);
  const calls = new Agent({ connect, connections, pipelining: 1 });
  const streams = new Agent({ connect, bodyTimeout: 0 });
  let closed = false;

  async function text(method: Method, path: string, body: unknown, contentType: string): Promise<string> {
    const { statusCode, body: answer } = await request(server + path, {
      dispatcher: calls,
      method,
      headers: { ...headers, 'content-type': contentType },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const received = await answer.text();
    if (statusCode >= 300) throw new HttpError(statusCode, `${method} ${path}: ${statusCode} ${received.slice(0, 500)}`);
    return received;
  }

  return {
    // The API server answers JSON objects; what is in them is the caller's business.
    send: async (method, path, body, contentType = 'application/json') =>
      JSON.parse(await text(method, path, body, contentType)) as KubeObject,
    list: async (path) => (JSON.parse(await text('GET', path, undefined, 'application/json')) as { items: readonly KubeObject[] }).items,
    exec: (path) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(server.replace('https', 'wss') + path, { dispatcher: streams, protocols: ['v5.channel.k8s.io'] });
        socket.binaryType = 'arraybuffer';
        socket.addEventListener('message', ({ data }) => {
          const message = Buffer.from(data as ArrayBuffer);
          if (message[0] !== STATUS_CHANNEL) return;
          const {
            status,
            reason,
            message: why,
          } = JSON.parse(message.toString('utf8', 1)) as {
            readonly status: string;
            readonly reason?: string;
            readonly message?: string;
          };
          if (status === 'Success' || reason === 'NonZeroExitCode') resolve();
          else reject(new Error(`exec ${path}: ${why}`));
          socket.close();
        });
        // After the status no caller reads it.
        for (const end of ['error', 'close'] as const)
          socket.addEventListener(end, () => reject(new Error(`exec ${path}: the connection ended`)));
      }),
    async watch(path, onEvent) {
      const stop = new AbortController();
      const url = `${server}${path}${path.includes('?') ? '&' : '?'}watch=true&timeoutSeconds=3600`;
      const open = async () => {
        const { statusCode, body } = await request(url, { dispatcher: streams, headers, signal: stop.signal });
        if (statusCode !== 200) throw new HttpError(statusCode, `watch ${path}: ${statusCode} ${await body.text()}`);
        return body;
      };
      const follow = async (first: AsyncIterable<Buffer>) => {
        for (let body = first; ; body = await open()) await read(body, onEvent);
      };
      void follow(await open()).catch((error: unknown) => {
        if (!stop.signal.aborted && !closed) throw error;
      });
      return () => stop.abort();
    },
    close: async () => {
      closed = true;
      await Promise.all([calls.close(), streams.destroy()]);
    },
  };
}

export class HttpError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
/** For `catch`: what is not there need not be made to go. */
export const unlessGone = (error: unknown): undefined => {
  if (error instanceof HttpError && error.status === 404) return undefined;
  throw error;
};

async function read(body: AsyncIterable<Buffer>, onEvent: (event: WatchEvent) => void): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const at = performance.now();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onEvent({ ...(JSON.parse(line) as Omit<WatchEvent, 'at'>), at });
  }
}

function credentials(kubeconfig: string) {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: readonly { cluster: { server: string; 'certificate-authority-data': string } }[];
    users: readonly { user: { 'client-certificate-data'?: string; 'client-key-data'?: string; token?: string } }[];
  };
  const [{ cluster } = never()] = clusters;
  const [{ user } = never()] = users;
  const connect = {
    ca: decoded(cluster['certificate-authority-data']),
    ...(user['client-certificate-data'] && { cert: decoded(user['client-certificate-data']) }),
    ...(user['client-key-data'] && { key: decoded(user['client-key-data']) }),
  };
  return { server: cluster.server, connect, headers: user.token === undefined ? {} : { authorization: `Bearer ${user.token}` } };
}
function never(): never {
  throw new Error('not a kubeconfig of startControlPlane or of a playground');
}
const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
