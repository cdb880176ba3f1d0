/** Requests to the server of the page, as a browser or a program sends them. */
import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { FleetChange } from '../../src/ui/wire.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** As they were sent. */
  readonly bytes: Buffer;
  json<T = Readonly<Record<string, unknown>>>(): T;
}
export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One request, whole. */
export const ask = (port: number, path: string, { method = 'GET', headers = {}, body }: Asking = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const text = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
        // The cast: the caller says what the server answers.
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, bytes, json: <T>() => JSON.parse(text) as T });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });

export const own = { 'x-sluice-ui': '1' };
/** Signs in. @returns the cookie, as a header */
export async function signIn(port: number, token: string): Promise<Readonly<Record<string, string>>> {
  const { status, headers, text } = await ask(port, '/api/session', { method: 'POST', headers: own, body: JSON.stringify({ token }) });
  if (status !== 200) throw new Error(`signing in: ${status} ${text}`);
  return { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
}

export interface Stream {
  readonly messages: readonly FleetChange[];
  /** When each came, ms since 1970. */
  readonly times: readonly number[];
  readonly request: ClientRequest;
  readonly isOver: () => boolean;
}
/** Server-sent events, as they come. */
export function stream(port: number, path: string, headers: Readonly<Record<string, string>>): Stream {
  const messages: FleetChange[] = [];
  const times: number[] = [];
  let [text, isOver] = ['', false];
  const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, data] = /^data: (.*)$/m.exec(text.slice(0, end)) ?? [];
        if (data !== undefined) {
          messages.push(JSON.parse(data) as FleetChange);
          times.push(performance.timeOrigin + performance.now());
        }
        text = text.slice(end + 2);
      }
    });
    response.on('close', () => (isOver = true));
    response.on('error', () => {});
  });
  sent.on('error', () => (isOver = true));
  sent.end();
  return { messages, times, request: sent, isOver: () => isOver };
}
