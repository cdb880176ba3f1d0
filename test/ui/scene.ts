/** The server of the page on an API server in memory, and a browser's requests to it. */
import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { createApiServer } from '../../src/api-server/index.ts';
import { settingsOf } from '../../src/cli/settings/config.ts';
import { createPreview } from '../../src/cli/ui/preview.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { serveUi, type UiOptions } from '../../src/ui/server/server.ts';
import { guarded } from '../../src/ui/server/viewers/guarded.ts';
import { oneViewer } from '../../src/ui/server/viewers/one-viewer.ts';
import { openSight } from '../../src/ui/server/viewers/sight.ts';
import type { FleetChange, Viewer } from '../../src/ui/wire.ts';
import { kinds } from '../support/kinds.ts';

export const apiServer = (namespaces: readonly string[] = ['ml', 'vision']) => createApiServer({ kinds: Object.values(kinds), namespaces });
export type ApiServer = ReturnType<typeof apiServer>;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
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
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: <T>() => JSON.parse(text) as T });
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
  readonly request: ClientRequest;
  readonly isOver: () => boolean;
}
/** Server-sent events, as they come. */
export function stream(port: number, path: string, headers: Readonly<Record<string, string>>): Stream {
  const messages: FleetChange[] = [];
  let [text, isOver] = ['', false];
  const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, data] = /^data: (.*)$/m.exec(text.slice(0, end)) ?? [];
        if (data !== undefined) messages.push(JSON.parse(data) as FleetChange);
        text = text.slice(end + 2);
      }
    });
    response.on('close', () => (isOver = true));
    response.on('error', () => {});
  });
  sent.on('error', () => (isOver = true));
  sent.end();
  return { messages, request: sent, isOver: () => isOver };
}

/** `sluice ui` of a user who may do everything, unless told. Stop it. */
export async function localUi(api: ApiServer, viewer: Partial<Viewer> = {}, options: Partial<UiOptions> = {}) {
  const client = api.client({ readsOnly: true });
  const everything = { mayRead: () => true };
  const viewers = oneViewer({
    sight: openSight({ name: 'ada', cluster: 'test', hidden: [], ...viewer }),
    reads: guarded(client, everything),
    edits: guarded(client, { ...everything, dryRuns: true }),
  });
  const { namespaces } = viewer;
  const server = await serveUi({
    client,
    runtimes,
    ...(namespaces && { namespaces }),
    mayList: () => true,
    viewers,
    preview: createPreview({ runtimes, settings: settingsOf({}, {}, runtimes) }),
    assets: new Map([['/', { type: 'text/html; charset=utf-8', body: Buffer.from('<!doctype html><title>page</title>') }]]),
    isLocal: true,
    port: 0,
    ...options,
  });
  return { ...server, token: viewers.token };
}

/** A Dataset with this status, and its AlluxioRuntime. */
export function pair(namespace: string, name: string, status: object = {}, runtimeStatus: object = {}): readonly KubeObject[] {
  const meta = { namespace, name };
  const apiVersion = 'data.fluid.io/v1alpha1';
  return [
    { apiVersion, kind: 'Dataset', metadata: meta, spec: { mounts: [{ mountPoint: 's3://bucket/data', name: 'data' }] }, status },
    { apiVersion, kind: 'AlluxioRuntime', metadata: meta, spec: { replicas: 1 }, status: runtimeStatus },
  ];
}
