/**
 * An API server that speaks the real protocol (TLS, HTTP/1.1, list pages, watch streams) and is scripted: it serves copies of datasets that
 * a real one made, answers commands in their pods, and refuses every write, which it counts. Its parent says what to do.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setInterval } from 'node:timers';
import { WebSocketServer } from 'ws';
import { createEngines } from '../../src/playground/engines/engines.ts';
import type { Samples } from './sample.ts';
import type { Answer, Command, Setup } from './server.ts';
import { type Event, liveWorld } from './world.ts';

const setup = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Setup;
const samples = JSON.parse(readFileSync(setup.samples, 'utf8')) as Samples;
const world = liveWorld(samples, setup.size);
const GROUP = 'data.fluid.io';
const PERIOD_MS = 100;
const watchers = new Map<ServerResponse, string>();
const writes: string[] = [];
let bytes = 0;
let events = 0;
let execs = 0;
let firstListAt: number | undefined;

const server = createServer({ key: setup.key, cert: setup.certificate }, (request, response) => {
  request.resume();
  request.on('end', () => answer(request, response));
});
server.keepAliveTimeout = 90_000;

const builtIn = createEngines();
/** Copies of a kind are alike: the stand-in of the sample answers for all, and was told what the sample's pods were told. */
for (const call of samples.kinds.flatMap(({ commands }) => commands)) builtIn(call);
const sockets = new WebSocketServer({ server, handleProtocols: () => 'v4.channel.k8s.io' });
sockets.on('connection', (socket, { url = '' }) => {
  execs++;
  const { pathname, searchParams } = new URL(url, 'https://server');
  const [, namespace = '', pod = ''] = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/exec$/.exec(pathname) ?? [];
  const called = { time: '', container: searchParams.get('container') ?? '', argv: searchParams.getAll('command') };
  const { stdout = '', stderr = '', exitCode = 0 } = builtIn({ ...world.inSample(namespace, pod), ...called }) ?? { exitCode: 127 };
  socket.send(Buffer.from(`\x01${stdout}`));
  socket.send(Buffer.from(`\x02${stderr}`));
  const failure = { status: 'Failure', details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] } };
  socket.send(Buffer.from(`\x03${JSON.stringify(exitCode === 0 ? { status: 'Success' } : failure)}`));
  socket.close();
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '', 'https://server');
  const parts = pathname.split('/').slice(1);
  const say = (status: number, body: unknown) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const refuse = (status: number, reason: string) =>
    say(status, { kind: 'Status', apiVersion: 'v1', code: status, reason, message: reason });
  if (request.method !== 'GET') {
    writes.push(`${request.method} ${pathname}`);
    return refuse(403, 'Forbidden');
  }
  if (pathname === '/version') return say(200, { major: '1', minor: '34', gitVersion: 'v1.34.0' });
  if (pathname === `/apis/${GROUP}/v1alpha1`) return say(200, { resources: setup.kinds.map((name) => ({ name })) });
  // `/api/v1/<plural>` and `/apis/<group>/<version>/<plural>`; what has more parts is one object.
  const plural = parts[0] === 'api' ? parts[2] : parts[3];
  if (plural === undefined || parts.length > (parts[0] === 'api' ? 3 : 4)) return refuse(404, 'NotFound');
  if (searchParams.get('watch') === 'true') return watch(plural, request, response);
  firstListAt ??= Date.now();
  const from = Number(searchParams.get('continue') ?? 0);
  const { items, next } = world.page(plural, from, Number(searchParams.get('limit') ?? 1e9), isPartial(request));
  const metadata = { resourceVersion: String(world.version), ...(next !== undefined && { continue: String(next) }) };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(`{"metadata":${JSON.stringify(metadata)},"items":[${items.join(',')}]}`);
}

const isPartial = ({ headers }: IncomingMessage): boolean => String(headers.accept).includes('PartialObjectMetadata');
function watch(plural: string, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  watchers.set(response, plural);
  const timer = setTimeout(
    () => response.end(),
    Number(new URL(request.url ?? '', 'https://server').searchParams.get('timeoutSeconds') ?? 300) * 1000,
  );
  response.on('close', () => {
    clearTimeout(timer);
    watchers.delete(response);
  });
}
function send({ plural, text }: Event): void {
  events++;
  for (const [response, watched] of watchers)
    if (watched === plural) {
      bytes += text.length;
      response.write(text);
    }
}
/** A bookmark a minute keeps quiet watches alive. */
setInterval(() => {
  for (const [response] of watchers) response.write(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"${world.version}"}}}\n`);
}, 60_000).unref();

let traffic: NodeJS.Timeout | undefined;
let ticks = 0;
/** Every node once in ten seconds, every fuse pod through its five states once in a minute. */
function tick(): void {
  const share = (count: number, periodMs: number) =>
    [Math.floor((ticks * PERIOD_MS * count) / periodMs), Math.floor(((ticks + 1) * PERIOD_MS * count) / periodMs)] as const;
  const [node, nodeEnd] = share(setup.size.nodes, 10_000);
  for (let i = node; i < nodeEnd; i++) send(world.heartbeat(i % setup.size.nodes));
  const [step, stepEnd] = share(world.slots * 5, 60_000);
  for (let i = step; i < stepEnd; i++) send(world.step(i % world.slots));
  ticks++;
}

process.on('message', (command: Command) => {
  if (command.do === 'traffic') {
    clearInterval(traffic);
    traffic = command.on ? setInterval(tick, PERIOD_MS) : undefined;
  } else if (command.do === 'touch') for (let i = 0; i < command.count; i++) send(world.touch(i, command.what));
  else if (command.do === 'expire')
    for (const [response] of watchers)
      response.end('{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old resource version"}}\n');
  else if (command.do === 'forget') {
    firstListAt = undefined;
    writes.length = 0;
  }
  const state: Answer = { writes: writes.length, examples: writes.slice(0, 5), events, execs, bytes, firstListAt, watches: watchers.size };
  process.send?.(state);
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
