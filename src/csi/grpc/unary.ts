/** gRPC's own server, over functions from one message to the other. */
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { CsiError, status, unavailable } from './errors.ts';

/** What is known of a call besides its message. */
export interface Call {
  /** Aborted when the caller has gone, or its deadline has passed. */
  readonly signal: AbortSignal;
  /** ms since the epoch; Infinity when the caller sets none. */
  readonly deadline: number;
}

/** From one message to the other. @throws CsiError */
export type Method = (request: Uint8Array, call: Call) => Promise<Uint8Array>;

export interface UnaryServer {
  listen(socket: string): Promise<void>;
  /** Takes no more calls, and lets those under way end, `ms` at most; then they are UNAVAILABLE, so that they are asked again. */
  stop(ms: number): Promise<void>;
}

/** `methods`: by their paths. */
export function unaryServer(methods: ReadonlyMap<string, Method>): UnaryServer {
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
        const force = setTimeout(() => {
          // To callers, a connection that breaks off may be a call that has failed for good.
          for (const call of calls) call.abort(unavailable('the node plugin is ending'));
          setImmediate(() => {
            server.forceShutdown();
            // It would wait for peers to end their connections, and one that is stopped never does.
            resolve();
          });
        }, ms);
        server.tryShutdown(() => {
          clearTimeout(force);
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
  (method: Method, calls: Set<AbortController>) =>
  (call: ServerUnaryCall<Uint8Array, Uint8Array>, done: sendUnaryData<Uint8Array>): void => {
    const over = new AbortController();
    const { signal } = over;
    calls.add(over);
    call.on('cancelled', () => over.abort(new CsiError(status.CANCELLED, 'the caller has gone')));
    // Who is told of the end does not wait for who is to end.
    const ended = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    const deadline = call.getDeadline();
    Promise.race([method(call.request, { signal, deadline: deadline instanceof Date ? deadline.getTime() : deadline }), ended])
      .then(
        (answer) => done(null, answer),
        (error: unknown) => done(error instanceof CsiError ? told(error) : told(new CsiError(status.INTERNAL, String(error)))),
      )
      .finally(() => calls.delete(over));
  };

/** Of a refusal: callers give up a connection, with all calls on it, whose headers are longer than 64 KB; a character may take nine bytes. */
const MOST_TEXT = 4096;

/** No stack: the kubelet puts what we say into events that users read. A half of a character cannot be sent, and would end nothing. */
const told = ({ code, message }: CsiError) => ({ code, details: message.slice(0, MOST_TEXT).toWellFormed() });
