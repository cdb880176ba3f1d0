/** Commands in simulated pods, over WebSockets as kubelets serve them: the stand-ins of engines answer. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ApiServer } from '../api-server/index.ts';
import { badRequest, Refusal } from '../api-server/refusals.ts';
import { refusalAnswer } from '../api-server/wire/answers.ts';
import { containerOf } from './container-name.ts';
import type { Engines } from './engines/engines.ts';
import type { ExecCall } from './engines/exec-call.ts';
import { whyRefused } from './https.ts';

/** Newest first; both have channels 1 (stdout), 2 (stderr) and 3 (how it ended). Kubernetes 1.29 and 1.30 ask by SPDY first, which is refused. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const PATH = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/exec$/;

/** A reader of standard output finds what a program would print. */
const RECORDED = 'This answer is recorded: the pod is simulated, no program runs in it.\n';

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
    const call = called(request);
    if (call instanceof Refusal) return refuse(socket, call);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => webSocket.terminate());
      answer(webSocket, engines, call);
    });
  });
  function called(request: IncomingMessage): ExecCall | Refusal {
    try {
      return callOf(request);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }
  /** @throws Refusal */
  function callOf({ headers, url = '' }: IncomingMessage): ExecCall {
    const refused = whyRefused(headers, token);
    if (refused) throw refused;
    const [path = '', search = ''] = url.split('?', 2);
    const [, namespace = '', pod = ''] = PATH.exec(path) ?? [];
    if (pod === '') throw new Refusal(404, 'NotFound', `${path} is not served: pods are simulated`);
    const live = objects.get('Pod', namespace, pod);
    if (!live) throw new Refusal(404, 'NotFound', `pods "${pod}" not found`);
    const query = new URLSearchParams(search);
    const container = containerOf(live, query.get('container') ?? '');
    // kubectl tries SPDY once a WebSocket is refused, and says why that is refused.
    if (headers.upgrade?.toLowerCase() !== 'websocket') throw badRequest('exec is served over WebSockets, not over SPDY');
    return { time: '', namespace, pod, container, argv: query.getAll('command') };
  }
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

function answer(socket: WebSocket, engines: Engines, call: ExecCall): void {
  const {
    stdout = '',
    stderr = '',
    exitCode = 0,
  } = engines(call) ?? { stderr: `${call.argv[0]}: not found: this pod is simulated, no program runs in it\n`, exitCode: 127 };
  const send = (channel: number, text: string) => text && socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
  send(1, stdout);
  // Programs' own words come first: an error has the last of them.
  send(2, exitCode === 0 ? `${stderr}${RECORDED}` : stderr);
  const failure = {
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
  send(3, JSON.stringify({ metadata: {}, ...(exitCode === 0 ? { status: 'Success' } : failure) }));
  socket.close(1000);
}
