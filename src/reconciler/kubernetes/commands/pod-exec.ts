import { Writable } from 'node:stream';
import type { V1Status } from '@kubernetes/client-node';
import type { ClusterConnection } from '../../../kube/client/connection.ts';
import { NotLeader } from '../../../kube/errors.ts';
import type { PodExec } from './exec.ts';

/** Until when commands may start and run. */
export interface ExecFence {
  /** Aborted when this process is no longer the leader: running commands are abandoned. */
  readonly signal?: AbortSignal;
  /** Milliseconds since the epoch after which no command starts, as for the client's writes. */
  readonly deadline?: (() => number) | undefined;
  readonly now?: () => number;
}

/** Bytes of output: an engine's answer is a page of numbers, so a command that prints more does not answer the question. */
const MOST_BYTES = 1 << 20;
/** Bytes of the output of a failed command in its error. */
const MOST_SAID = 4096;

/**
 * Runs commands in containers through the API server. The client library is loaded at the first command: it costs 90 MB,
 * and a controller of runtimes without probes never needs it.
 *
 * An abandoned command, after its timeout or without the lease, loses its connection; its process in the container may run to its end.
 */
export function podExec(connection: ClusterConnection, { signal, deadline, now = Date.now }: ExecFence = {}): PodExec {
  const loaded = lazy(async () => import('@kubernetes/client-node'));
  return async ({ namespace, pod, container }, argv, timeoutMs) => {
    signal?.throwIfAborted();
    const { Exec, KubeConfig } = await loaded();
    const config = new KubeConfig();
    const token = await connection.token?.();
    const ca = typeof connection.ca === 'function' ? connection.ca() : connection.ca;
    config.loadFromClusterAndUser(
      {
        name: 'cluster',
        server: connection.server,
        skipTLSVerify: connection.insecureSkipTlsVerify ?? false,
        ...(ca && { caData: base64(ca) }),
      },
      {
        name: 'user',
        ...(token && { token }),
        ...(connection.cert && { certData: base64(connection.cert) }),
        ...(connection.key && { keyData: base64(connection.key) }),
      },
    );
    const opening = new AbortController();
    const applyOptions = config.applyToHTTPSOptions.bind(config);
    // The library's last step before it opens the connection, which it does not hand out before it is open.
    config.applyToHTTPSOptions = async (options) => {
      await applyOptions(options);
      signal?.throwIfAborted();
      if (deadline && deadline() <= now()) throw new NotLeader({ method: 'EXEC', path: `${namespace}/${pod}` });
      options.signal = opening.signal;
    };
    const what = `${argv[0]} in ${namespace}/${pod}`;
    const out = collector(MOST_BYTES);
    const err = collector(MOST_SAID);
    return new Promise<string>((resolve, reject) => {
      let socket: { close(): void; terminate(): void } | undefined;
      const end = (settle: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        socket?.close();
        settle();
      };
      // The connection is not closed in agreement with the other side, which may be what hangs.
      const giveUp = (reason: unknown) =>
        end(() => {
          opening.abort();
          socket?.terminate();
          reject(reason);
        });
      const onAbort = () => giveUp(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      const timer = setTimeout(() => giveUp(new Error(`${what} took longer than ${timeoutMs / 1000} s`)), timeoutMs);
      const onStatus = (status: V1Status) => {
        if (out.overflowed) end(() => reject(new Error(`${what} printed more than ${MOST_BYTES} bytes`)));
        else if (status.status === 'Success') end(() => resolve(out.text()));
        else {
          // Some programs print their errors to standard output.
          const said = err.text().trim() || out.text().trim().slice(-MOST_SAID);
          end(() => reject(new Error([`${what} ${outcomeOf(status)}`, said].filter(Boolean).join(': '))));
        }
      };
      new Exec(config).exec(namespace, pod, container, [...argv], out.stream, err.stream, null, false, onStatus).then(
        (opened) => {
          socket = opened;
          // The connection opened at the moment at which the command was abandoned.
          if (opening.signal.aborted) return opened.terminate();
          opened.onclose = () => end(() => reject(new Error(`${what}: the connection was closed before it ended`)));
        },
        (error: unknown) =>
          end(() => reject(error instanceof NotLeader ? error : new Error(`${what} could not be started: ${messageOf(error)}`))),
      );
    });
  };
}

/** The end of a failed command. The API server's message repeats the exit code, so only the code is used. */
function outcomeOf({ message, details }: V1Status): string {
  const code = details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  return code === undefined ? `failed${message ? `: ${message}` : ''}` : `ended with exit code ${code}`;
}

/** Keeps what fits and discards the rest, so that the other side is never blocked. */
function collector(limit: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    stream: new Writable({
      write(chunk: Buffer, _encoding, done) {
        size += chunk.length;
        if (size <= limit) chunks.push(chunk);
        done();
      },
    }),
    text: () => Buffer.concat(chunks).toString('utf8'),
    get overflowed() {
      return size > limit;
    },
  };
}

function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return () => (value ??= load());
}
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const messageOf = (error: unknown): string => (error as { message?: string } | undefined)?.message ?? String(error);
