import type { Dispatcher } from 'undici';
import type { Pools } from '../../src/kube/client/connection.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import type { ApiServer } from '../../src/api-server/index.ts';
import { Refusal } from '../../src/api-server/refusals.ts';
import { type Admission, answerTo, refusalAnswer, type WireAnswer } from '../../src/api-server/wire/answers.ts';
import { readRequest, type WireRequest } from '../../src/api-server/wire/requests.ts';
import type { Random } from './random.ts';
import { broken, createStreams, type OpenStream } from './streams.ts';
import type { Process, VirtualTime } from './time.ts';

/** The fate of one request. */
export interface Fate {
  /** The server is reached so many ms after the request was sent. */
  readonly thereMs: number;
  /** The answer comes so many ms after that. */
  readonly backMs: number;
  /** Instead of the server's answer; the server does nothing. */
  readonly refused?: WireAnswer;
  /** The connection breaks before the server has the request, or before the client has the answer. */
  readonly lost?: 'before' | 'after' | 'unsent';
}

/** Rules for the fate of requests, and observers of them. */
export interface NetworkRules {
  fateOf(process: Process, request: WireRequest): Fate;
  readonly admit: Admission;
  /** The client sends a request, which may never arrive. */
  onSent(process: Process, request: WireRequest): void;
  /** The server has answered, and the answer is not under way yet. `before` is the object as it was. */
  onAnswered(process: Process, request: WireRequest, answer: WireAnswer, before: KubeObject | undefined): void;
  /** The answer has come, or the connection broke, or the client has given up. */
  onDelivered(process: Process, request: WireRequest, isTaken: boolean): void;
  /** A watch shows an object, or its deletion, which the process reads in this turn. */
  onShown(process: Process, object: KubeObject, isDeleted: boolean): void;
}

export interface Network {
  /** The connections of one process. */
  poolsOf(process: Process): Pools;
  readonly streams: ReadonlySet<OpenStream>;
}

/** Until the server says that it does not serve a path, ms. */
const UNSERVED_MS = 2;

export function createNetwork(
  time: VirtualTime,
  server: ApiServer,
  types: ReadonlyMap<string, ResourceType>,
  rules: NetworkRules,
  random: Random,
): Network {
  const { streams, open: openStream } = createStreams(time, server, random, rules.onShown);

  function dispatch(process: Process, sent: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    let isOver = false;
    let sentOut: WireRequest | undefined;
    const controller = {
      abort(error: Error) {
        if (isOver) return;
        isOver = true;
        handler.onResponseError?.(controller, error);
        // Whether the connection broke or the client gave up: it takes the request for failed, though the server may act later.
        if (sentOut) rules.onDelivered(process, sentOut, false);
      },
    } as unknown as Dispatcher.DispatchController;
    handler.onRequestStart?.(controller, {});
    if (isOver) return true;
    const found = read(sent);
    if (found instanceof Refusal) {
      time.arrive(UNSERVED_MS, () => isOver || hand(refusalAnswer(found)), process);
      return true;
    }
    const request: WireRequest = found;
    const fate = rules.fateOf(process, request);
    const fail = (ms: number, error: Error) => time.arrive(ms, () => controller.abort(error), process);
    rules.onSent(process, request);
    sentOut = request;
    if (fate.lost === 'unsent') {
      fail(fate.thereMs, broken('ECONNREFUSED', 'connect'));
      return true;
    }
    // The server goes on with the request even if the client is gone.
    time.after(fate.thereMs, () => {
      if (fate.lost === 'before') return void fail(fate.backMs, broken('UND_ERR_SOCKET'));
      const before = objectOf(request);
      void respond(request, fate).then((answer) => {
        rules.onAnswered(process, request, answer, before);
        if (fate.lost === 'after') return void fail(fate.backMs, broken('UND_ERR_SOCKET'));
        time.arrive(fate.backMs, () => deliver(answer), process);
      });
    });
    return true;

    function deliver(answer: WireAnswer): void {
      if (isOver) return;
      rules.onDelivered(process, request, answer.status < 300);
      hand(answer);
    }
    function hand({ status, headers, text }: WireAnswer): void {
      isOver = true;
      handler.onResponseStart?.(controller, status, headers, '');
      handler.onResponseData?.(controller, Buffer.from(text));
      handler.onResponseEnd?.(controller, {});
    }
  }

  const objectOf = ({ type, namespace, name, body }: WireRequest): KubeObject | undefined => {
    const called = name ?? (body as KubeObject | undefined)?.metadata?.name;
    return called === undefined || type.plural === 'events' ? undefined : server.get(type.kind, namespace, called);
  };
  const respond = (request: WireRequest, { refused }: Fate): Promise<WireAnswer> =>
    refused ? Promise.resolve(refused) : isEvent(request) ? Promise.resolve(eventAnswer(request)) : answerTo(server, request, rules.admit);

  /** A Refusal for a kind that is not installed, such as one of Fluid's. */
  function read({ method, path, headers, body }: Dispatcher.DispatchOptions): WireRequest | Refusal {
    try {
      return readRequest(types, {
        method,
        path,
        headers: (headers ?? {}) as Record<string, string>,
        body: (body ?? null) as string | null,
      });
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  /** Opens a watch: the first answer, then its lines one after the other, each after a time of its own. */
  function open(process: Process, sent: Dispatcher.RequestOptions): Promise<unknown> {
    const request = read(sent);
    if (request instanceof Refusal) throw request;
    const fate = rules.fateOf(process, request);
    const signal = sent.signal as AbortSignal;
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(signal.reason);
      signal.addEventListener('abort', giveUp, { once: true });
      const settle = (run: () => void) => {
        signal.removeEventListener('abort', giveUp);
        if (!signal.aborted) run();
      };
      if (fate.lost) return time.arrive(fate.thereMs, () => settle(() => reject(broken('ECONNREFUSED', 'connect'))), process);
      rules.onSent(process, request);
      time.after(fate.thereMs, () => {
        const answer: WireAnswer = fate.refused ?? { status: 200, headers: {}, text: '' };
        rules.onAnswered(process, request, answer, undefined);
        const body = answer.status === 200 ? openStream(process, request, signal) : { text: async () => answer.text };
        time.arrive(fate.backMs, () => settle(() => resolve({ statusCode: answer.status, headers: answer.headers, body })), process);
      });
    });
  }

  return {
    streams,
    poolsOf: (process) => ({
      requests: {
        dispatch: (sent: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => dispatch(process, sent, handler),
      } as never,
      streams: { request: (sent: Dispatcher.RequestOptions) => open(process, sent) } as never,
      async close() {
        for (const each of streams) if (each.process === process) each.end('broken');
      },
    }),
  };
}

/** The controller's events are answered and not kept: no check reads them, and nobody would ever delete them. */
const isEvent = ({ type }: WireRequest): boolean => type.group === 'events.k8s.io';
const eventAnswer = ({ verb, body }: WireRequest): WireAnswer => ({
  status: verb === 'create' ? 201 : 200,
  headers: {},
  text: JSON.stringify(verb === 'list' ? { metadata: { resourceVersion: '1' }, items: [] } : body),
});

/** An answer that is no, as the API server gives it. */
export function refusalOf(status: number, request: WireRequest): WireAnswer {
  const { type, name = '' } = request;
  const details = { name, kind: type.plural, ...(type.group && { group: type.group }) };
  const reasons: Readonly<Record<number, string>> = {
    403: 'Forbidden',
    409: 'Conflict',
    410: 'Expired',
    422: 'Invalid',
    500: 'InternalError',
    504: 'Timeout',
  };
  // An answer for all clients is a line of text.
  if (status === 429) return { status, headers: { 'retry-after': '1' }, text: 'Too many requests, please try again later.' };
  if (status === 503) return { status, headers: { 'retry-after': '1' }, text: 'the server is shutting down' };
  return refusalAnswer(new Refusal(status, reasons[status], `simulated: ${reasons[status]}`, details));
}
