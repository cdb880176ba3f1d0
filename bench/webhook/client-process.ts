/**
 * Asks a webhook as an API server does: HTTP/1.1 over TLS connections that stay open, each with one request at a time, the certificate
 * checked. A process of its own, and as cheap as a client can be, so that it measures the server: requests are bytes before the first is
 * sent, and of an answer it looks for the end and for `"allowed":true`.
 */
import { connect, type TLSSocket } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { webhookNames } from '../../src/api/webhook-names.ts';
import { quantile } from '../statistics.ts';
import type { Asked, Command, Subject, Target } from './client.ts';
import { reviewOf } from './review.ts';
import { editOf } from './validation-review.ts';
import { placeOf } from './world.ts';

/** Go's transport opens a connection for each request under way; here, with more at once than this, requests wait. */
const CONNECTIONS = 64;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const END_OF_CHUNKS = Buffer.from('\r\n0\r\n\r\n');
const ALLOWED = Buffer.from('"allowed":true');
const PATCH = Buffer.from('"patch":');

type Done = (isAdmitted: boolean) => void;
interface Connection {
  ask(request: Buffer, done: Done): void;
}

const requests: Buffer[] = [];
let target: Target;
let about: Subject;
/** The last that was used is used next. */
const free: Connection[] = [];
let opened = 0;
/** Requests that wait for a connection, in order. */
const waiting: { readonly request: Buffer; readonly done: Done }[] = [];

function open(): Connection {
  const { port, ca, host } = target;
  const socket: TLSSocket = connect({ port, host: '127.0.0.1', ca, servername: host, ALPNProtocols: ['http/1.1'] });
  socket.setNoDelay(true);
  let received: Buffer | undefined;
  let done: Done | undefined;
  socket.on('data', (chunk: Buffer) => {
    received = received === undefined ? chunk : Buffer.concat([received, chunk]);
    if (!isWhole(received)) return;
    const answer = received;
    const heard = done;
    received = done = undefined;
    // As bytes: "HTTP/1.1 200".
    heard?.(answer[9] === 0x32 && answer.includes(ALLOWED) && (about !== 'pods' || answer.includes(PATCH)));
  });
  const ended = (error?: Error): void => {
    if (error || done) throw new Error(`the connection to the webhook ended: ${error?.message ?? 'in the midst of a request'}`);
  };
  socket.once('error', ended);
  socket.once('close', () => ended());
  return {
    ask(request, whenDone) {
      done = whenDone;
      socket.write(request);
    },
  };
}

function isWhole(answer: Buffer): boolean {
  const end = answer.indexOf(END_OF_HEAD);
  if (end < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.toString('latin1', 0, end))?.[1];
  // No JSON holds a carriage return, so a body cannot look like the end of the last chunk.
  return length === undefined
    ? answer.subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS)
    : answer.length >= end + END_OF_HEAD.length + Number(length);
}

function ask(request: Buffer, done: Done): void {
  const connection = free.pop() ?? (opened < CONNECTIONS ? (opened++, open()) : undefined);
  if (!connection) return void waiting.push({ request, done });
  use(connection, request, done);
}
function use(connection: Connection, request: Buffer, done: Done): void {
  connection.ask(request, (isAdmitted) => {
    const next = waiting.shift();
    if (next) use(connection, next.request, next.done);
    else free.push(connection);
    done(isAdmitted);
  });
}

const randomRequest = (): Buffer => requests[Math.floor(Math.random() * requests.length)]!;

/** Each answered one is followed by another, so many at once. */
function asFastAsPossible(seconds: number, atOnce: number): Promise<Outcome> {
  const times: number[] = [];
  let refused = 0;
  let running = atOnce;
  const until = performance.now() + seconds * 1000;
  return new Promise((resolve) => {
    const next = (): void => {
      const began = performance.now();
      if (began >= until) {
        if (--running === 0) resolve({ times, refused });
        return;
      }
      ask(randomRequest(), (isAdmitted) => {
        times.push(performance.now() - began);
        if (!isAdmitted) refused++;
        next();
      });
    };
    for (let i = 0; i < atOnce; i++) next();
  });
}

/** At constant intervals, also while earlier requests are under way. The time of each counts from when it was due. */
async function atRate(seconds: number, perSecond: number): Promise<Outcome> {
  const times: number[] = [];
  let refused = 0;
  let sent = 0;
  const count = Math.round(seconds * perSecond);
  const began = performance.now();
  while (sent < count) {
    for (; sent < count && began + (sent * 1000) / perSecond <= performance.now(); sent++) {
      const due = began + (sent * 1000) / perSecond;
      const done: Done = (isAdmitted) => {
        times.push(performance.now() - due);
        if (!isAdmitted) refused++;
      };
      ask(randomRequest(), done);
    }
    await sleep(1);
  }
  while (times.length < count) await sleep(5);
  return { times, refused };
}

interface Outcome {
  readonly times: readonly number[];
  readonly refused: number;
}

async function obey(command: Command): Promise<Asked | undefined> {
  if (command.do === 'open') {
    ({ target, about } = command);
    const path = about === 'pods' ? webhookNames.path : webhookNames.validationPath;
    for (let i = requests.length; i < command.datasets; i++) {
      const uid = `7d1f7c6e-2b1a-4d0e-9b67-${i.toString(16).padStart(12, '0')}`;
      const body = JSON.stringify(about === 'pods' ? reviewOf(placeOf(i), uid) : editOf(placeOf(i), uid, i));
      const head = [
        `POST ${path}?timeout=${about === 'pods' ? 15 : 3}s HTTP/1.1`,
        `Host: ${target.host}:443`,
        'User-Agent: kube-apiserver-admission',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Accept: application/json, */*',
        'Content-Type: application/json',
      ];
      requests.push(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`));
    }
    return undefined;
  }
  const before = process.cpuUsage();
  const began = performance.now();
  const { times, refused } =
    command.do === 'rate' ? await atRate(command.seconds, command.perSecond) : await asFastAsPossible(command.seconds, command.atOnce);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  return {
    count: times.length,
    refused,
    perSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    cpuSeconds: (user + system) / 1e6,
  };
}

process.on('message', (command: Command) => void obey(command).then((asked) => process.send?.(asked ?? 'open')));
process.on('disconnect', () => process.exit());
