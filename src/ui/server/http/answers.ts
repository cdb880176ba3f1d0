import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { SECURITY_HEADERS } from './headers.ts';

/** The ways to answer one request. */
export interface HttpAnswers {
  json(value: unknown, status?: number, headers?: Readonly<Record<string, string>>): void;
  /** JSON that is made while it is sent. */
  chunks(text: AsyncIterable<string>): Promise<void>;
  problem(status: number, message: string): void;
  /** Begins a stream of server-sent events. */
  events(): void;
  bytes(type: string, body: Buffer, headers?: Readonly<Record<string, string>>): void;
}

const FRESH = { 'cache-control': 'no-store' };

export function answersOf(request: IncomingMessage, response: ServerResponse): HttpAnswers {
  const packs = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  const head = (status: number, type: string, headers: Readonly<Record<string, string | number>> = {}) =>
    response.writeHead(status, {
      ...SECURITY_HEADERS,
      ...FRESH,
      'content-type': type,
      ...headers,
      // A connection whose request was not read to its end has no next one.
      ...(!request.complete && hasBody(request) && { connection: 'close' }),
    });
  const whole = (status: number, type: string, body: Buffer, headers: Readonly<Record<string, string>> = {}) =>
    void head(status, type, { ...headers, 'content-length': body.length }).end(request.method === 'HEAD' ? undefined : body);
  return {
    json: (value, status = 200, headers) => whole(status, JSON_TYPE, Buffer.from(JSON.stringify(value)), headers),
    problem: (status, message) => whole(status, JSON_TYPE, Buffer.from(JSON.stringify({ message }))),
    bytes: (type, body, headers) => whole(200, type, body, headers),
    // A proxy that keeps what it is sent would keep the events.
    events: () => void head(200, 'text/event-stream; charset=utf-8', { 'x-accel-buffering': 'no' }).flushHeaders(),
    async chunks(text) {
      head(200, JSON_TYPE, { vary: 'accept-encoding', ...(packs && { 'content-encoding': 'gzip' }) });
      if (!packs) {
        for await (const chunk of text) if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
        response.end();
        return;
      }
      await pipeline(text, createGzip({ level: constants.Z_BEST_SPEED }), response);
    },
  };
}

const JSON_TYPE = 'application/json; charset=utf-8';
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
