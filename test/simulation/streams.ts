import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import type { ApiServer } from '../../src/api-server/index.ts';
import { textOf } from '../../src/api-server/texts.ts';
import { reader, selectors } from '../../src/api-server/wire/answers.ts';
import type { WireRequest } from '../../src/api-server/wire/requests.ts';
import type { Random } from './random.ts';
import type { Process, VirtualTime } from './time.ts';

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

/** Watches as they come over the wire: their lines one after the other, each after a time of its own. */
export interface Streams {
  readonly streams: ReadonlySet<OpenStream>;
  /** The body of the answer to a watch. */
  open(process: Process, request: WireRequest, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

export const broken = (code: string, syscall?: string) =>
  Object.assign(new Error(`simulated: ${code}`), { code, ...(syscall && { syscall }) });

/** @param onShown an object comes to a process by a watch, or its deletion */
export function createStreams(
  time: VirtualTime,
  server: ApiServer,
  random: Random,
  onShown: (process: Process, object: KubeObject, isDeleted: boolean) => void,
): Streams {
  const streams = new Set<OpenStream>();

  function open(process: Process, request: WireRequest, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const { type, namespace, query, wants } = request;
    const ready: Uint8Array[] = [];
    let last: string | undefined;
    let isEnded = false;
    let failure: Error | undefined;
    let waiting: PromiseWithResolvers<void> | undefined;
    let lastAt = 0;
    const underWay: (() => void)[] = [];
    const wake = () => {
      waiting?.resolve();
      waiting = undefined;
    };
    /** In order, and not before it may be. */
    function later(run: () => void): void {
      lastAt = Math.max(lastAt, entry.stalledUntilMs, time.nowMs + random.int(0, 4));
      // A process that is busy or stands still may see events of one moment in another order; lines of one connection it does not.
      underWay.push(run);
      time.arrive(lastAt - time.nowMs, () => (underWay.shift()?.(), wake()), process);
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
        const chunk = last;
        if (chunk !== undefined) later(() => ready.push(Buffer.from(chunk)));
      },
    };
    streams.add(entry);
    signal.addEventListener('abort', () => (streams.delete(entry), closing.abort(), wake()), { once: true });
    const send = ({ type: what, object }: { readonly type: string; readonly object: KubeObject }) => {
      last = `{"type":"${what}","object":${textOf(object)}}\n`;
      const chunk = Buffer.from(last);
      later(() => {
        if (what === 'ADDED' || what === 'MODIFIED' || what === 'DELETED') onShown(process, object, what === 'DELETED');
        ready.push(chunk);
      });
    };
    const options = {
      ...selectors(query),
      namespace,
      metadataOnly: wants === 'metadata',
      resourceVersion: query.get('resourceVersion') ?? '0',
      timeoutSeconds: Number(query.get('timeoutSeconds') ?? 300),
      signal: closing.signal,
    };
    void (async () => {
      try {
        for await (const event of reader(server).watch(type, options)) send(event);
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

  return { streams, open };
}
