/** gRPC on unix sockets: services of protobuf-es descriptors, answered by functions. */
import { randomBytes } from 'node:crypto';
import { lstatSync, renameSync, rmSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import type { GenService } from '@bufbuild/protobuf/codegenv2';
import { Server, ServerCredentials, type ServerUnaryCall, type ServiceDefinition, type sendUnaryData, status } from '@grpc/grpc-js';
import { ApiError, NoAnswer } from '../kube/errors.ts';
import type { Log } from '../kube/types.ts';
import { CsiError } from './errors.ts';

/** What is known of a call besides its message. */
export interface Call {
  /** Aborted when the caller has gone, or its deadline has passed. */
  readonly signal: AbortSignal;
  /** ms since the epoch; Infinity when the caller sets none. */
  readonly deadline: number;
}

type Answer = Record<string, unknown>;
type Methods = GenService<Record<string, { methodKind: 'unary'; input: DescMessage; output: DescMessage }>>['method'];
export type Handlers<S extends { readonly method: Methods }> = {
  readonly [M in keyof S['method']]: S['method'][M] extends DescMethodUnary<infer Input, infer Output>
    ? (request: MessageShape<Input>, call: Call) => Promise<MessageInitShape<Output>> | MessageInitShape<Output>
    : never;
};

export interface Service {
  readonly definition: ServiceDefinition;
  readonly handlers: Readonly<Record<string, (call: ServerUnaryCall<unknown, unknown>, done: sendUnaryData<unknown>) => void>>;
}

/** Fields of requests that a log line shows; all others may be long, or nobody's business. */
const SHOWN = ['volumeId', 'targetPath', 'volumePath'] as const;
/** Asked every few seconds by whoever looks after us. */
const QUIET = new Set(['probe', 'getPluginInfo', 'getPluginCapabilities', 'nodeGetCapabilities', 'nodeGetVolumeStats']);

/** Every answer and every failure passes here: a log line each, and a code that the kubelet understands. */
export function serviceOf<S extends DescService & { readonly method: Methods }>(service: S, handlers: Handlers<S>, log: Log): Service {
  const definition: Record<string, ServiceDefinition[string]> = {};
  const wrapped: Record<string, Service['handlers'][string]> = {};
  for (const [name, { input, output, name: rpc }] of Object.entries(service.method)) {
    definition[name] = {
      path: `/${service.typeName}/${rpc}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: (message: MessageShape<DescMessage>) => Buffer.from(toBinary(input, message)),
      requestDeserialize: (bytes: Uint8Array) => fromBinary(input, bytes),
      responseSerialize: (message: MessageShape<DescMessage>) => Buffer.from(toBinary(output, message)),
      responseDeserialize: (bytes: Uint8Array) => fromBinary(output, bytes),
    };
    // The descriptor says of what type the message is that it has just read, which TypeScript cannot follow from a name.
    const handle = handlers[name as keyof typeof handlers] as (request: unknown, call: Call) => Answer | Promise<Answer>;
    wrapped[name] = (call, done) => {
      const began = performance.now();
      const request = call.request as Readonly<Record<string, unknown>>;
      const fields = Object.fromEntries(SHOWN.flatMap((field) => (request[field] ? [[field, request[field]]] : [])));
      const tell = (level: 'debug' | 'info' | 'warn' | 'error', more: object) =>
        log[level]({ rpc, ...fields, ...more, ms: Math.round((performance.now() - began) * 10) / 10 }, 'call');
      Promise.resolve()
        .then(() => handle(request, callOf(call)))
        .then(
          (answer) => {
            tell(QUIET.has(name) ? 'debug' : 'info', {});
            done(null, create(output, answer));
          },
          (error: unknown) => {
            const { code, message } = answerFor(error);
            const isDefect = code === status.INTERNAL;
            tell(isDefect ? 'error' : 'warn', { code: status[code], ...(isDefect ? { err: error } : { error: message }) });
            // No stack: the kubelet puts what we say into events that users read.
            done({ code, details: message });
          },
        );
    };
  }
  return { definition, handlers: wrapped };
}

function callOf(call: ServerUnaryCall<unknown, unknown>): Call {
  const gone = new AbortController();
  call.on('cancelled', () => gone.abort(new CsiError(status.CANCELLED, 'the caller has gone')));
  const deadline = call.getDeadline();
  return { signal: gone.signal, deadline: deadline instanceof Date ? deadline.getTime() : deadline };
}

/** To the kubelet, INTERNAL means that nothing was done, so that nothing need be undone: of a request without answer nobody knows. */
function answerFor(error: unknown): { readonly code: status; readonly message: string } {
  if (error instanceof CsiError) return error;
  return { code: isPassing(error) ? status.UNAVAILABLE : status.INTERNAL, message: error instanceof Error ? error.message : String(error) };
}

/** The API server did not answer, or not for good. */
const isPassing = (error: unknown): boolean =>
  error instanceof NoAnswer || (error instanceof ApiError && (error.status >= 500 || error.status === 429 || error.status === 409));

/** What is served on a socket. */
export interface Listening {
  /** Why nobody can reach us there any more; undefined when they can. */
  lost(): string | undefined;
  /** Removes the socket, if it is still ours, and lets calls under way end. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  /** How long to wait for another process that serves there to end, ms. Default 20,000: it lets its calls end first. */
  readonly handOverMs?: number;
  readonly log: Log;
}

/**
 * Serves on a socket that only root can reach. It comes into its place as a whole, under a name of its own before, which is what closing
 * unlinks: whatever a successor has put in its place stays.
 *
 * @throws Error when another process goes on serving there
 */
export async function serve(socket: string, services: readonly Service[], options: ServeOptions): Promise<Listening> {
  await mkdir(dirname(socket), { recursive: true, mode: 0o750 });
  await untilFree(socket, options);
  const server = new Server();
  for (const { definition, handlers } of services) server.addService(definition, handlers);
  // With a dot, the kubelet passes it over.
  const own = join(dirname(socket), `.${randomBytes(4).toString('hex')}`);
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix://${own}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
  });
  await chmod(own, 0o600);
  const { ino } = lstatSync(own);
  renameSync(own, socket);
  const isOurs = () => lstatSync(socket, { throwIfNoEntry: false })?.ino === ino;
  return {
    lost: () => (isOurs() ? undefined : `${socket}: removed, or taken by another process`),
    async stop() {
      // While we still answer: a successor comes only where nobody does.
      if (isOurs()) rmSync(socket);
      await new Promise<void>((resolve) => {
        const force = setTimeout(() => server.forceShutdown(), 5_000);
        server.tryShutdown(() => {
          clearTimeout(force);
          resolve();
        });
      });
    },
  };
}

/** A socket that nobody listens on was left by a process that was killed. One that somebody does is not ours to take. */
async function untilFree(socket: string, { handOverMs = 20_000, log }: ServeOptions): Promise<void> {
  let isTold = false;
  for (const until = performance.now() + handOverMs; ; ) {
    const found = lstatSync(socket, { throwIfNoEntry: false });
    if (!found) return;
    if (!found.isSocket()) throw new Error(`${socket}: expected a socket or nothing, found something else`);
    if (!(await answers(socket))) return;
    if (performance.now() >= until)
      throw new Error(`${socket}: another process serves it; end that one first (Fluid's own CSI plugin, perhaps)`);
    if (!isTold) log.info({ socket }, 'another process serves it; waiting for its end');
    isTold = true;
    await sleep(200);
  }
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => resolve(false));
  });
}
