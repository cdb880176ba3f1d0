/** Commands in simulated pods, over WebSockets as kubelets serve them: the stand-ins of engines answer. */
import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ApiServer } from '../api-server/index.ts';
import type { Engines } from './engines/engines.ts';
import { whyRefused } from './https.ts';

/** Newest first; both have channels 1 (stdout), 2 (stderr) and 3 (how it ended). Kubernetes 1.29 and 1.30 ask by SPDY first, which is refused. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const PATH = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/exec$/;

export function serveExec(server: Server, objects: ApiServer, token: string, engines: Engines): void {
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => PROTOCOLS.find((each) => offered.has(each)) ?? false,
  });
  server.on('upgrade', (request, socket, head) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://playground');
    const [, namespace = '', pod = ''] = PATH.exec(pathname) ?? [];
    const refused =
      whyRefused(request.headers, token)?.status ??
      (request.headers.upgrade?.toLowerCase() !== 'websocket' ? 400 : objects.get('Pod', namespace, pod) ? undefined : 404);
    if (refused !== undefined) return void socket.end(`HTTP/1.1 ${refused} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    sockets.handleUpgrade(request, socket, head, (open) => {
      answer(open, engines, {
        time: '',
        namespace,
        pod,
        container: searchParams.get('container') ?? '',
        argv: searchParams.getAll('command'),
      });
    });
  });
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
