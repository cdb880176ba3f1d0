/**
 * Parts that csi-sanity needs beside a node plugin: a controller that creates volumes (here: says their attributes), and, for the cases
 * that run only where a plugin has a controller, a server that says so and passes all other calls on.
 */
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { Client, credentials, Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';

type Bytes = Buffer;
const same = (bytes: Bytes): Bytes => bytes;
const unary = (path: string) => ({
  path,
  requestStream: false as const,
  responseStream: false as const,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
});
type Handler = (request: Bytes) => Promise<Bytes> | Bytes;

/** Serves a controller, and everything of the plugin, on `socket`; returns how to stop. */
export async function serveController(
  socket: string,
  plugin: string,
  attributes: (volumeId: string) => Readonly<Record<string, string>>,
): Promise<() => void> {
  const behind = new Client(`unix://${plugin}`, credentials.createInsecure());
  const forward =
    (path: string): Handler =>
    (request) =>
      new Promise((resolve, reject) => {
        behind.makeUnaryRequest(path, same, same, request, (error, answer) => (error ? reject(error) : resolve(answer ?? Buffer.alloc(0))));
      });
  const through = (service: string, ...rpcs: string[]): [string, Handler][] =>
    rpcs.map((rpc) => [`/csi.v1.${service}/${rpc}`, forward(`/csi.v1.${service}/${rpc}`)]);
  const nothing: Handler = () => Buffer.alloc(0);
  const volumeRpcs = ['StageVolume', 'UnstageVolume', 'PublishVolume', 'UnpublishVolume', 'GetVolumeStats'];
  const handlers: [string, Handler][] = [
    ['/csi.v1.Identity/GetPluginCapabilities', () => hasController],
    ...through('Identity', 'GetPluginInfo', 'Probe'),
    ...through('Node', ...[...volumeRpcs, 'GetInfo', 'GetCapabilities'].map((name) => `Node${name}`)),
    ['/csi.v1.Controller/CreateVolume', (request) => created(nameIn(request), attributes)],
    ['/csi.v1.Controller/DeleteVolume', nothing],
    ['/csi.v1.Controller/ControllerGetCapabilities', nothing],
  ];
  const server = new Server();
  for (const [path, handler] of handlers) {
    const name = path.slice(1).replace('/', '.');
    server.addService(
      { [name]: unary(path) },
      {
        [name]: (call: ServerUnaryCall<Bytes, Bytes>, done: sendUnaryData<Bytes>) => {
          Promise.resolve(handler(call.request)).then((answer) => done(null, answer), done);
        },
      },
    );
  }
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix://${socket}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
  });
  return () => {
    server.forceShutdown();
    behind.close();
  };
}

const bytes = (write: (to: BinaryWriter) => unknown): Bytes => {
  const writer = new BinaryWriter();
  write(writer);
  return Buffer.from(writer.finish());
};
/** capabilities[0].service.type = CONTROLLER_SERVICE. */
const hasController = bytes((to) =>
  to.tag(1, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).fork().tag(1, WireType.Varint).int32(1).join().join(),
);

function created(volumeId: string, attributes: (volumeId: string) => Readonly<Record<string, string>>): Bytes {
  return bytes((to) => {
    to.tag(1, WireType.LengthDelimited).fork().tag(2, WireType.LengthDelimited).string(volumeId);
    for (const [key, value] of Object.entries(attributes(volumeId)))
      to.tag(3, WireType.LengthDelimited)
        .fork()
        .tag(1, WireType.LengthDelimited)
        .string(key)
        .tag(2, WireType.LengthDelimited)
        .string(value)
        .join();
    to.join();
  });
}

/** CreateVolumeRequest.name. */
function nameIn(request: Bytes): string {
  const reader = new BinaryReader(request);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) return reader.string();
    reader.skip(type);
  }
  return '';
}
