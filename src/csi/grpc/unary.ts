/** gRPC's own server, over functions from one message to the other. */
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { systemClock, type Waits } from '../../kube/clock.ts';
import { CsiError, status, unavailable } from './errors.ts';

/** The context of a call: all but its message. */
export interface Call {
  /** Aborted when the caller has cancelled, or its deadline has passed. */
  readonly signal: AbortSignal;
  /** ms since the epoch; Infinity when the caller sets none. */
  readonly deadline: number;
}

/** From one message to the other. @throws CsiError */
export type UnaryMethod = (request: Uint8Array, call: Call) => Promise<Uint8Array>;

export interface UnaryServer {
  listen(socket: string): Promise<void>;
  /** Accepts no more calls, and waits `ms` for those under way; then they return UNAVAILABLE, so that callers retry. */
  stop(ms: number): Promise<void>;
}

/** `methods`: by their paths. */
export function unaryServer(methods: ReadonlyMap<string, UnaryMethod>, clock: Waits = systemClock): UnaryServer {
  const calls = new Set<AbortController>();
  const server = new Server();
  server.addService(
    Object.fromEntries([...methods.keys()].map((path) => [path, { path, requestStream: false, responseStream: false, ...BYTES }])),
    Object.fromEntries([...methods].map(([path, method]) => [path, answering(method, calls)])),
  );
  return {
    listen: (socket) =>
      new Promise((resolve, reject) => {
        server.bindAsync(`unix://${socket}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
      }),
    stop: (ms) =>
      new Promise((resolve) => {
        const cancel = clock.after(ms, () => {
          // A connection that breaks may look to callers like a call that failed for good.
          for (const call of calls) call.abort(unavailable('the node plugin is shutting down: retry'));
          setImmediate(() => {
            server.forceShutdown();
            // tryShutdown waits for peers to close their connections, and a peer that is stopped (SIGSTOP) never does.
            resolve();
          });
        });
        server.tryShutdown(() => {
          cancel();
          resolve();
        });
      }),
  };
}

const asTheyAre = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const BYTES = {
  requestSerialize: asTheyAre,
  requestDeserialize: asTheyAre,
  responseSerialize: asTheyAre,
  responseDeserialize: asTheyAre,
} as const;

const answering =
  (method: UnaryMethod, calls: Set<AbortController>) =>
  (call: ServerUnaryCall<Uint8Array, Uint8Array>, done: sendUnaryData<Uint8Array>): void => {
    const over = new AbortController();
    const { signal } = over;
    calls.add(over);
    call.on('cancelled', () => over.abort(new CsiError(status.CANCELLED, 'the caller has cancelled the call')));
    // A caller whose call was aborted is answered at once, whether or not the method ends.
    const ended = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    const deadline = call.getDeadline();
    Promise.race([method(call.request, { signal, deadline: deadline instanceof Date ? deadline.getTime() : deadline }), ended])
      .then(
        (answer) => done(null, answer),
        (error: unknown) => done(grpcError(error instanceof CsiError ? error : new CsiError(status.INTERNAL, String(error)))),
      )
      .finally(() => calls.delete(over));
  };

/** Callers close a connection, with all calls on it, whose headers are longer than 64 KB; a character may take nine bytes. */
const MOST_TEXT = 4096;

/** Without a stack: the kubelet puts the message into events that users read. A lone surrogate cannot be sent, and the call would never end. */
const grpcError = ({ code, message }: CsiError) => ({ code, details: message.slice(0, MOST_TEXT).toWellFormed() });
