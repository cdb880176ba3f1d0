import type { Duplex } from 'node:stream';
import type { ClientOptions, WebSocket } from 'ws';
import { shown, type Status } from '../../api/index.ts';
import { type Clock, systemClock, type Waits } from '../clock.ts';
import { type ClusterConnection, identityHeaders } from './connection.ts';
import { createConnector } from './connector.ts';
import { NotLeader } from '../errors.ts';
import { CommandTimeout, type PodExec } from '../exec.ts';

/** Until when commands may start and run. */
export interface ExecFence {
  /** Aborted when this process is no longer the leader: running commands are abandoned. */
  readonly signal?: AbortSignal;
  /** Milliseconds since the epoch after which no command starts, as for the client's writes. */
  readonly deadline?: (() => number) | undefined;
  /** Default: the system's. */
  readonly clock?: Pick<Clock, 'wall' | 'after'>;
}

/** Bytes of one message: the API server sends what it has read, some KB at a time. */
const MOST_PAYLOAD = 1 << 20;
/** Bytes that are kept of the output that nobody reads, unless the command fails. */
const MOST_UNREAD = 64 << 10;
/** Bytes of the output of a failed command in its error. */
const MOST_SAID = 4096;

/** The first byte of each message. */
const [STDOUT, STDERR, STATUS] = [1, 2, 3];
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/**
 * Runs commands in containers through the API server. The library of WebSockets is loaded at the first command: a controller of runtimes
 * without probes never needs it. Kubernetes' own client would take 60 MB, and a whole TLS handshake for each command.
 *
 * An abandoned command, after its timeout or without the lease, loses its connection; its process in the container may run to its end.
 * threat-model: R-pod-output
 */
export function podExec(connection: ClusterConnection, { signal, deadline, clock = systemClock }: ExecFence = {}): PodExec {
  let library: Promise<typeof import('ws')> | undefined;
  const loaded = () => (library ??= import('ws'));
  const createConnection = connectionsOf(connection);
  return async ({ namespace, pod, container }, argv, timeoutMs, mostBytes) => {
    signal?.throwIfAborted();
    const { WebSocket } = await loaded();
    const { token, headers } = await identityHeaders(connection);
    signal?.throwIfAborted();
    if (deadline && deadline() <= clock.wall()) throw new NotLeader({ method: 'EXEC', path: `${namespace}/${pod}` });
    const url = urlOf(connection.server, { namespace, pod, container }, argv);
    const options: ClientOptions = { perMessageDeflate: false, createConnection, maxPayload: MOST_PAYLOAD };
    // Several values of a header are several lines, which the types of ws do not know.
    const socket = new WebSocket(url, PROTOCOLS, { ...options, headers: headers as Record<string, string> });
    // As ws words it. Whoever wants the command's answer runs it again, then with another token.
    socket.on('error', ({ message }) => message.endsWith(' response: 401') && connection.refused?.(token));
    return outputOf(socket, `${argv[0]} in ${namespace}/${pod}`, timeoutMs, { signal, mostBytes, clock });
  };
}

/** Connections for ws as the client's requests have them, with one cache of TLS sessions. */
function connectionsOf(connection: ClusterConnection): NonNullable<ClientOptions['createConnection']> {
  const connect = createConnector(connection);
  const { protocol, host, hostname, port } = new URL(connection.server);
  const target = { protocol, host, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port };
  const open = (_: unknown, done: (error: Error | null, socket: Duplex | null) => void) => void connect(target, done);
  // The cast: node:http takes a callback as well, which the types of ws do not say.
  return open as unknown as NonNullable<ClientOptions['createConnection']>;
}

function urlOf(server: string, { namespace, pod, container }: Parameters<PodExec>[0], argv: readonly string[]): string {
  const query = new URLSearchParams([
    ...argv.map((word) => ['command', word] as [string, string]),
    ['container', container],
    ['stdout', 'true'],
    ['stderr', 'true'],
  ]);
  return `${server.replace(/^http/, 'ws').replace(/\/$/, '')}/api/v1/namespaces/${namespace}/pods/${pod}/exec?${query}`;
}

interface Bounds {
  readonly clock: Waits;
  readonly signal: AbortSignal | undefined;
  readonly mostBytes: number | undefined;
}

/** Standard output of a command. Rejects when it fails, takes too long or is abandoned. */
function outputOf(socket: WebSocket, what: string, timeoutMs: number, { signal, mostBytes, clock }: Bounds): Promise<string> {
  const out = collector(mostBytes ?? MOST_UNREAD);
  const err = collector(MOST_SAID);
  return new Promise<string>((resolve, reject) => {
    let hasOpened = false;
    let hasPrinted = false;
    const end = (settle: () => void) => {
      cancel();
      signal?.removeEventListener('abort', onAbort);
      socket.close();
      settle();
    };
    // The connection is not closed in agreement with the other side, which may be what hangs.
    const giveUp = (reason: unknown) =>
      end(() => {
        socket.terminate();
        reject(reason);
      });
    const onAbort = () => giveUp(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const late = () => new CommandTimeout(`${what} took longer than ${timeoutMs / 1000} s`, hasPrinted);
    const cancel = clock.after(timeoutMs, () => giveUp(late()));
    const onStatus = (status: Status) => {
      if (status.status === 'Success') end(() => resolve(out.text()));
      else {
        // Some programs print their errors to standard output.
        const said = err.text().trim() || out.text().trim().slice(-MOST_SAID);
        end(() => reject(new Error([`${what} ${outcomeOf(status)}`, said].filter(Boolean).join(': '))));
      }
    };
    socket.on('open', () => void (hasOpened = true));
    socket.on('message', (message: Buffer) => {
      const rest = message.subarray(1);
      if (message[0] === STDOUT) {
        // The API server sends an empty message for each stream before it has reached the node.
        hasPrinted ||= rest.length > 0;
        out.add(rest);
        if (mostBytes !== undefined && out.overflowed) giveUp(new Error(`${what} printed more than ${mostBytes} bytes`));
      } else if (message[0] === STDERR) err.add(rest);
      else if (message[0] === STATUS) onStatus(statusIn(rest.toString('utf8')));
    });
    // An open connection that fails is closed as well.
    socket.on('error', (error) => {
      if (!hasOpened) end(() => reject(new Error(`${what} could not be started: ${error.message}`)));
    });
    socket.on('close', () => end(() => reject(new Error(`${what}: the connection was closed before it ended`))));
  });
}

/** A text that is no status, as a proxy may send it, is the end of a command that failed: thrown here, it would end the process. */
function statusIn(text: string): Status {
  try {
    const value: unknown = JSON.parse(text);
    // The cast: an object on this channel is the API server's.
    if (typeof value === 'object' && value !== null) return value as Status;
  } catch {
    // Said below.
  }
  return { message: `expected a v1.Status as JSON, found ${shown(text)}` };
}

/** The end of a failed command. The API server's message repeats the exit code, so only the code is used. */
function outcomeOf({ message, details }: Status): string {
  const code = details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  return code === undefined ? `failed${message ? `: ${message}` : ''}` : `ended with exit code ${code}`;
}

/** Keeps what fits and discards the rest, so that the other side is never blocked. One buffer: a pod may send a message for each byte. */
function collector(limit: number) {
  let kept = Buffer.alloc(0);
  let used = 0;
  let size = 0;
  return {
    add(chunk: Buffer) {
      size += chunk.length;
      if (size > limit) return;
      if (size > kept.length) {
        const larger = Buffer.alloc(Math.min(limit, Math.max(size, 2 * kept.length)));
        kept.copy(larger, 0, 0, used);
        kept = larger;
      }
      used += chunk.copy(kept, used);
    },
    text: () => kept.toString('utf8', 0, used),
    get overflowed() {
      return size > limit;
    },
  };
}
