import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '../../../kube/errors.ts';
import type { Log } from '../../../kube/types.ts';
import { paths } from '../../wire.ts';
import { TooMany, type ViewerSession, type Viewers } from '../viewers/viewers.ts';
import { type HttpAnswers, answersOf } from './answers.ts';
import { bodyOf } from './bodies.ts';
import { bearerOf, cookieOf, whyForeign } from './headers.ts';

/** A file of the page. */
export interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

/** A request of one who has signed in. */
export interface UiRequest {
  readonly session: ViewerSession;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answers: HttpAnswers;
  /** Parts of the path behind the route: `['ml', 'demo']`. */
  readonly names: readonly string[];
  readonly query: URLSearchParams;
}
export interface UiRoute {
  readonly method: 'GET' | 'POST';
  /** How many names follow the path. */
  readonly names: number;
  answer(asked: UiRequest): void | Promise<void>;
}

export interface RoutesOptions {
  readonly viewers: Viewers;
  /** By path of wire.ts. */
  readonly routes: ReadonlyMap<string, UiRoute>;
  /** By path: `/`, `/page.js`. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** The values of Host that lead here; absent: any. */
  readonly hosts: () => ReadonlySet<string> | undefined;
  readonly cookie: () => string;
  readonly log: Log;
}

/** A token, and what is around it. */
const MOST_TOKEN_BYTES = 16 << 10;

/** Returns the function that answers each request: files of the page, signing in, and the API for those who have signed in. */
export function createRoutes({ viewers, routes, assets, hosts, cookie, log }: RoutesOptions) {
  async function signIn(request: IncomingMessage, answers: HttpAnswers): Promise<void> {
    if (request.method !== 'POST') return answers.problem(405, `expected POST, found ${request.method}`);
    const token = tokenIn(await bodyOf(request, MOST_TOKEN_BYTES));
    if (token === undefined) return answers.problem(400, 'expected {"token": "…"} as JSON');
    const value = await viewers.signIn(token, request.socket.remoteAddress);
    if (value === undefined)
      return answers.problem(401, 'expected a token that is valid here, and that was not used before if it is of an address');
    const secure = request.headers['x-forwarded-proto'] === 'https' ? '; Secure' : '';
    answers.json({}, 200, { 'set-cookie': `${cookie()}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}` });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answers = answersOf(request, response);
    const foreign = whyForeign(request, hosts());
    if (foreign !== undefined) return answers.problem(403, foreign);
    const [path = '', search = ''] = (request.url ?? '').split('?');
    const asset = assets.get(path);
    if (asset) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return answers.problem(405, `expected GET, found ${request.method}`);
      return answers.bytes(asset.type, asset.body);
    }
    if (path === paths.session) return signIn(request, answers);
    if (!path.startsWith('/api/')) return answers.problem(404, 'expected the address that the command printed');
    const session = await viewers.of({
      cookie: cookieOf(request, cookie()),
      bearer: bearerOf(request),
      peer: request.socket.remoteAddress,
    });
    if (!session) return answers.problem(401, 'expected the cookie of one who has signed in');
    const found = routeOf(routes, path);
    if (!found) return answers.problem(404, 'expected a path of this page');
    const { route, names } = found;
    if (request.method !== route.method) return answers.problem(405, `expected ${route.method}, found ${request.method}`);
    await route.answer({ session, request, response, answers, names, query: new URLSearchParams(search) });
  }

  return (request: IncomingMessage, response: ServerResponse): Promise<void> =>
    answer(request, response).catch((error: unknown) => {
      if (response.destroyed) return;
      if (response.headersSent) return void response.destroy();
      if (error instanceof TooMany) return answersOf(request, response).problem(429, error.message);
      log.error({ err: error, path: request.url?.split('?')[0] }, 'a request of the page could not be answered');
      answersOf(request, response).problem(500, `the server could not answer: ${messageOf(error)}`);
    });
}

function tokenIn(text: string | undefined): string | undefined {
  try {
    const { token } = JSON.parse(text ?? '') as { token?: unknown };
    return typeof token === 'string' && token !== '' ? token : undefined;
  } catch {
    return undefined;
  }
}

/** The route of `/api/datasets/ml/demo`, and the names behind it. */
function routeOf(
  routes: ReadonlyMap<string, UiRoute>,
  path: string,
): { readonly route: UiRoute; readonly names: readonly string[] } | undefined {
  for (const [prefix, route] of routes) {
    if (path !== prefix && !path.startsWith(`${prefix}/`)) continue;
    const names = path.slice(prefix.length).split('/').slice(1).map(decoded);
    if (names.length !== route.names || !names.every((name) => name !== undefined && NAME.test(name))) return undefined;
    return { route, names: names as readonly string[] };
  }
  return undefined;
}

/** Names of namespaces and of custom resources; what else there is in a path leads nowhere. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
