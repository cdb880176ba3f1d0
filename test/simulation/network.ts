import type { Dispatcher } from 'undici';
import type { Pools } from '../../src/kube/client/connection.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import type { ApiServer } from '../../src/testing/api-server/index.ts';
import { Refusal } from '../../src/testing/api-server/refusals.ts';
import { type Admission, answerTo, lister, readRequest, refusalAnswer, selectors, type WireAnswer, type WireRequest } from './front.ts';
import type { Random } from './random.ts';
import type { Process, VirtualTime } from './time.ts';

/** What becomes of one request. */
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

/** Who decides what becomes of requests, and who looks on. */
export interface NetworkRules {
  fateOf(process: Process, request: WireRequest): Fate;
  readonly admit: Admission;
  /** The client sends a request, which may never arrive. */
  onSent(process: Process, request: WireRequest): void;
  /** The server has answered, and the answer is not under way yet. `before` is the object as it was. */
  onAnswered(process: Process, request: WireRequest, answer: WireAnswer, before: KubeObject | undefined): void;
  /** The answer has come, or the connection broke. */
  onDelivered(process: Process, request: WireRequest, isTaken: boolean): void;
}

/** A watch between the server and a process. */
export interface OpenStream {
  readonly process: Process;
  readonly type: ResourceType;
  /** Nothing is delivered before this, ms since the epoch. */
  stalledUntilMs: number;
  /** Ends it, as the server does, or as a connection that breaks. */
  end(how: 'closed' | 'broken'): void;
  /** Delivers the last event once more. */
  repeat(): void;
}

export interface Network {
  /** The connections of one process. */
  poolsOf(process: Process): Pools;
  readonly streams: ReadonlySet<OpenStream>;
}

const broken = (code: string, syscall?: string) => Object.assign(new Error(`simulated: ${code}`), { code, ...(syscall && { syscall }) });

export function createNetwork(
  time: VirtualTime,
  server: ApiServer,
  types: ReadonlyMap<string, ResourceType>,
  rules: NetworkRules,
  random: Random,
): Network {
  const streams = new Set<OpenStream>();

  function dispatch(process: Process, sent: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    let isOver = false;
    const controller = {
      abort(error: Error) {
        if (isOver) return;
        isOver = true;
        handler.onResponseError?.(controller, error);
      },
    } as unknown as Dispatcher.DispatchController;
    handler.onRequestStart?.(controller, {});
    if (isOver) return true;
    const request = read(sent);
    const fate = rules.fateOf(process, request);
    const fail = (ms: number, error: Error) =>
      time.arrive(
        ms,
        () => {
          // A client that has given up hears nothing.
          if (isOver) return;
          controller.abort(error);
          rules.onDelivered(process, request, false);
        },
        process,
      );
    rules.onSent(process, request);
    if (fate.lost === 'unsent') {
      fail(fate.thereMs, broken('ECONNREFUSED', 'connect'));
      return true;
    }
    // The server goes on with what it has, whatever becomes of the client.
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

    function deliver({ status, headers, text }: WireAnswer): void {
      if (isOver) return;
      rules.onDelivered(process, request, status < 300);
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
    refused ? Promise.resolve(refused) : answerTo(server, request, rules.admit);

  const read = ({ method, path, headers, body }: Dispatcher.DispatchOptions): WireRequest =>
    readRequest(types, { method, path, headers: (headers ?? {}) as Record<string, string>, body: (body ?? null) as string | null });

  /** Opens a watch: the first answer, then its lines one after the other, each after a time of its own. */
  function open(process: Process, sent: Dispatcher.RequestOptions): Promise<unknown> {
    const request = read(sent);
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
        const body = answer.status === 200 ? stream(process, request, signal) : { text: async () => answer.text };
        time.arrive(fate.backMs, () => settle(() => resolve({ statusCode: answer.status, headers: answer.headers, body })), process);
      });
    });
  }

  function stream(process: Process, request: WireRequest, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const { type, namespace, query, metadataOnly } = request;
    const ready: Uint8Array[] = [];
    let last: string | undefined;
    let isEnded = false;
    let failure: Error | undefined;
    let waiting: PromiseWithResolvers<void> | undefined;
    let lastAt = 0;
    const wake = () => {
      waiting?.resolve();
      waiting = undefined;
    };
    /** In order, and not before it may be. */
    function later(run: () => void): void {
      lastAt = Math.max(lastAt, entry.stalledUntilMs, time.nowMs + random.int(0, 4));
      time.arrive(lastAt - time.nowMs, () => (run(), wake()), process);
    }
    const closing = new AbortController();
    const entry: OpenStream = {
      process,
      type,
      stalledUntilMs: 0,
      end(how) {
        streams.delete(entry);
        closing.abort();
        if (how === 'closed') return later(() => (isEnded = true));
        time.arrive(0, () => ((failure = broken('UND_ERR_SOCKET')), wake()), process);
      },
      repeat() {
        const line = last;
        if (line !== undefined) later(() => ready.push(Buffer.from(line)));
      },
    };
    streams.add(entry);
    signal.addEventListener('abort', () => (streams.delete(entry), closing.abort(), wake()), { once: true });
    const send = (event: object) => {
      last = `${JSON.stringify(event)}\n`;
      const line = Buffer.from(last);
      later(() => ready.push(line));
    };
    const options = {
      ...selectors(query),
      namespace,
      metadataOnly,
      resourceVersion: query.get('resourceVersion') ?? '0',
      timeoutSeconds: Number(query.get('timeoutSeconds') ?? 300),
      signal: closing.signal,
    };
    void (async () => {
      try {
        for await (const event of lister(server).watch(type, options)) send(event);
      } catch (error) {
        const { status = 500, body } = error as { status?: number; body?: object };
        send({ type: 'ERROR', object: { kind: 'Status', apiVersion: 'v1', metadata: {}, code: status, ...body } as unknown as KubeObject });
      }
      if (streams.delete(entry)) later(() => (isEnded = true));
    })();

    return {
      async *[Symbol.asyncIterator]() {
        for (;;) {
          if (signal.aborted) throw signal.reason;
          if (failure) throw failure;
          const chunk = ready.shift();
          if (chunk) yield chunk;
          else if (isEnded) return;
          else await (waiting ??= Promise.withResolvers()).promise;
        }
      },
    };
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
  };
  // What is for all clients is a line of text.
  if (status === 429) return { status, headers: { 'retry-after': '1' }, text: 'Too many requests, please try again later.' };
  if (status === 503) return { status, headers: { 'retry-after': '1' }, text: 'the server is shutting down' };
  return refusalAnswer(new Refusal(status, reasons[status], `simulated: ${reasons[status]}`, details));
}
