import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { credentials, Client as GrpcClient } from '@grpc/grpc-js';
import { Identity, Node } from '../../../src/csi/grpc/proto/csi.gen.ts';
import { Registration } from '../../../src/csi/grpc/proto/pluginregistration.gen.ts';

type Method = { readonly input: DescMessage; readonly output: DescMessage };
type Calls<M extends Readonly<Record<string, Method>>> = {
  readonly [K in keyof M]: (
    request: MessageInitShape<M[K]['input']>,
    options?: { timeoutMs?: number },
  ) => Promise<MessageShape<M[K]['output']>>;
};
export type Client = Calls<(typeof Node)['method']> & Calls<(typeof Identity)['method']> & { close(): void };
export type RegistrationClient = Calls<(typeof Registration)['method']> & { close(): void };

/** The kubelet's side of a socket; of one in the mount namespace of a process, by way of it. */
export const clientOf = (socket: string, pid?: number): Client => connect(socket, pid, [Node, Identity]) as unknown as Client;
export const registrationOf = (socket: string, pid?: number): RegistrationClient =>
  connect(socket, pid, [Registration]) as unknown as RegistrationClient;

interface Service {
  readonly typeName: string;
  readonly method: Readonly<Record<string, Method & { readonly name: string }>>;
}

function connect(socket: string, pid: number | undefined, services: readonly Service[]): Record<string, unknown> {
  const client = new GrpcClient(`unix://${pid === undefined ? '' : `/proc/${pid}/root`}${socket}`, credentials.createInsecure());
  const calls: Record<string, unknown> = { close: () => client.close() };
  for (const { typeName, method } of services)
    for (const [name, { input, output, name: rpc }] of Object.entries(method))
      calls[name] = (request: object, { timeoutMs = 60_000 } = {}) =>
        new Promise((resolve, reject) => {
          client.makeUnaryRequest(
            `/${typeName}/${rpc}`,
            (message: MessageShape<DescMessage>) => Buffer.from(toBinary(input, message)),
            (bytes: Uint8Array) => fromBinary(output, bytes),
            create(input, request as Record<string, unknown>),
            { deadline: Date.now() + timeoutMs },
            // A turn later: what the plugin has written before it answered is read by then.
            (error, answer) => setImmediate(() => (error ? reject(error) : resolve(answer))),
          );
        });
  return calls;
}
