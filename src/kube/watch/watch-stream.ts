import type { Clock } from '../clock.ts';
import { apiErrorFrom, type RequestName } from '../errors.ts';
import { named, Timeout } from '../client/attempt.ts';
import type { KubeObject, WatchEvent } from '../types.ts';

/**
 * A watch that has spoken once is spoken to at least once a minute: the API server's watch cache sends each watcher a
 * bookmark a minute (k8s.io/apiserver cacher, `bookmarkFrequency`; measured on 1.34: every 60 s, quiet kinds too). Half
 * as long again without a byte, and the connection is dead though TCP keep-alive, which finds vanished machines within
 * 15 s, sees a living peer: a proxy that lost its upstream, a server that hangs. Before the first byte silence proves
 * nothing (an older server sends no bookmark of a kind to which nothing has happened yet): there the bound is the end
 * that was asked for.
 */
const SILENCE_MS = 90_000;
const CONNECT_MS = 30_000;
const NEWLINE = 0x0a;

export interface WatchStream extends RequestName {
  readonly method: 'WATCH';
  /** The server ends the watch after this. */
  readonly timeoutSeconds: number;
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;
  readonly signal: AbortSignal;
  readonly onHeard?: (() => void) | undefined;
  readonly clock: Clock;
  readonly confidential: boolean;
  /** Completes an object as it came. */
  readonly typed: (object: KubeObject) => KubeObject;
}

/**
 * The events of one watch, until the server ends it or the signal is aborted.
 *
 * @throws ApiError for a refused watch and for an ERROR event, NoAnswer when the connection breaks or falls silent,
 *   SyntaxError for a line that is no event
 */
export async function* watchEvents(watch: WatchStream): AsyncGenerator<WatchEvent, void, undefined> {
  const { signal, clock } = watch;
  if (signal.aborted) return;
  const abort = new AbortController();
  const onAbort = () => abort.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });

  let heardAt = clock.monotonic();
  let bound = CONNECT_MS;
  let cancelTimer = clock.after(bound, listen);
  function listen(): void {
    const left = bound - (clock.monotonic() - heardAt);
    if (left <= 0) abort.abort(new Timeout(bound));
    else cancelTimer = clock.after(left, listen);
  }
  function heard(silenceMs: number): void {
    heardAt = clock.monotonic();
    watch.onHeard?.();
    if (silenceMs === bound) return;
    bound = silenceMs;
    cancelTimer();
    cancelTimer = clock.after(bound, listen);
  }

  try {
    const body = await watch.open(abort.signal);
    heard(watch.timeoutSeconds * 1000 + CONNECT_MS);
    // As many as came at once: to wait for each by itself would take longer than to read it.
    for await (const batch of lines(body, () => heard(SILENCE_MS))) for (const line of batch) yield parse(watch, line);
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof SyntaxError ? error : named(watch, error);
  } finally {
    cancelTimer();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Splits on newlines in bytes: a chunk may end within a character. The rest after the last newline is a line too. */
async function* lines(body: AsyncIterable<Uint8Array>, onBytes: () => void): AsyncGenerator<readonly string[], void, undefined> {
  let begun: Uint8Array[] = [];
  for await (const chunk of body) {
    onBytes();
    const ended: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      ended.push(begun.length > 0 ? text([...begun, chunk.subarray(start, end)]) : utf8(chunk.subarray(start, end)));
      begun = [];
      start = end + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
    if (ended.length > 0) yield ended;
  }
  if (begun.length > 0) yield [text(begun)];
}

const text = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString('utf8');
const utf8 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

function parse(watch: WatchStream, line: string): WatchEvent {
  let event: { readonly type?: string; readonly object?: KubeObject };
  try {
    event = JSON.parse(line);
  } catch {
    // Not JSON.parse's own message: it quotes the line.
    throw new SyntaxError(`${watch.method} ${watch.path}: a line of ${line.length} characters is not JSON`);
  }
  const { type, object } = event;
  if (type === 'ERROR') {
    const code = Number(object?.['code'] ?? 500);
    throw apiErrorFrom(watch, code, JSON.stringify(object), { confidential: watch.confidential });
  }
  if (object?.metadata === undefined || (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED' && type !== 'BOOKMARK')) {
    throw new SyntaxError(`${watch.method} ${watch.path}: a line of ${line.length} characters is not an event`);
  }
  return { type, object: watch.typed(object) };
}
