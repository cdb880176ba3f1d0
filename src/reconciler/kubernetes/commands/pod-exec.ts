import { Writable } from 'node:stream';
import type { V1Status } from '@kubernetes/client-node';
import type { ClusterConnection } from '../../../kube/connection.ts';
import { NotLeader } from '../../../kube/errors.ts';
import type { PodExec } from './exec.ts';

/** Until when commands may be begun and go on. */
export interface ExecFence {
  /** Aborted when this process leads no longer: what runs is given up. */
  readonly signal?: AbortSignal;
  /** ms since the epoch after which nothing is begun any more, as for the client's writes. */
  readonly deadline?: (() => number) | undefined;
  readonly now?: () => number;
}

/** An engine's answer is a page of numbers; whoever prints more is not answering us. */
const MOST_BYTES = 1 << 20;
/** Of a command that failed. */
const MOST_SAID = 4096;

/**
 * Runs commands in containers through the API server. The client library is loaded at the first command: it costs 90 MB,
 * and a controller of runtimes without probes never needs it.
 *
 * What is given up, by the clock or with the lease, loses its connection; the process in the container may go on to its end.
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
    // The library's last step before it opens the connection: it gives us no hold on that until it is open.
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
      // Nobody waits for the other side to agree: it may be what hangs.
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
          // Some say on standard output what went wrong.
          const said = err.text().trim() || out.text().trim().slice(-MOST_SAID);
          end(() => reject(new Error([`${what} ${outcomeOf(status)}`, said].filter(Boolean).join(': '))));
        }
      };
      new Exec(config).exec(namespace, pod, container, [...argv], out.stream, err.stream, null, false, onStatus).then(
        (opened) => {
          socket = opened;
          // It opened in the moment in which it was given up.
          if (opening.signal.aborted) return opened.terminate();
          opened.onclose = () => end(() => reject(new Error(`${what}: the connection was closed before it ended`)));
        },
        (error: unknown) =>
          end(() => reject(error instanceof NotLeader ? error : new Error(`${what} could not be started: ${messageOf(error)}`))),
      );
    });
  };
}

/** The API server says three times over that a command did not end well. */
function outcomeOf({ message, details }: V1Status): string {
  const code = details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  return code === undefined ? `failed${message ? `: ${message}` : ''}` : `ended with exit code ${code}`;
}

/** Keeps what fits and swallows the rest, so that the other side is never blocked. */
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
