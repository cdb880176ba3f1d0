/** Commands in simulated pods, over WebSockets as kubelets serve them: the stand-ins of engines answer. */
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ApiServer } from '../api-server/index.ts';
import { badRequest, Refusal } from '../api-server/refusals.ts';
import { refusalAnswer } from '../api-server/wire/answers.ts';
import type { Engines } from './engines/engines.ts';
import { whyRefused } from './https.ts';

/** Newest first; both have channels 1 (stdout), 2 (stderr) and 3 (how it ended). Kubernetes 1.29 and 1.30 ask by SPDY first, which is refused. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const PATH = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/exec$/;

/** @returns what ends those that are open */
export function serveExec(server: Server, objects: ApiServer, token: string, engines: Engines): { close(): void } {
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => PROTOCOLS.find((each) => offered.has(each)) ?? false,
  });
  const open = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    open.add(socket);
    // One that its client resets; without a listener, each such error would end the process.
    socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket));
    const [path = '', search = ''] = (request.url ?? '').split('?', 2);
    const searchParams = new URLSearchParams(search);
    const [, namespace = '', pod = ''] = PATH.exec(path) ?? [];
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    const refused =
      whyRefused(request.headers, token) ??
      (pod === '' ? new Refusal(404, 'NotFound', `${path} is not served: pods are simulated`) : undefined) ??
      (isWebSocket ? undefined : badRequest('exec is served over WebSockets, not over SPDY')) ??
      (objects.get('Pod', namespace, pod) ? undefined : new Refusal(404, 'NotFound', `pods "${pod}" not found`));
    if (refused) return refuse(socket, refused);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => webSocket.terminate());
      answer(webSocket, engines, {
        time: '',
        namespace,
        pod,
        container: searchParams.get('container') ?? '',
        argv: searchParams.getAll('command'),
      });
    });
  });
  return {
    close() {
      for (const socket of open) socket.destroy();
    },
  };
}

function refuse(socket: Duplex, refusal: Refusal): void {
  const { status, text } = refusalAnswer(refusal);
  const head = `HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`;
  socket.end(`${head}\r\n\r\n${text}`, () => socket.destroy());
}

function answer(socket: WebSocket, engines: Engines, call: Parameters<Engines>[0]): void {
  const {
    stdout = '',
    stderr = '',
    exitCode = 0,
  } = engines(call) ?? { stderr: `${call.argv[0]}: not found: this pod is simulated, no program runs in it\n`, exitCode: 127 };
  const send = (channel: number, text: string) => text && socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
  send(1, stdout);
  send(2, stderr);
  const failure = {
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
  send(3, JSON.stringify({ metadata: {}, ...(exitCode === 0 ? { status: 'Success' } : failure) }));
  socket.close(1000);
}
