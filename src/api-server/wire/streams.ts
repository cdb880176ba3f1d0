/** Watches, as the lines that a client reads. */
import { apiVersionOf, type KubeObject } from '../../kube/types.ts';
import { ApiError } from '../../kube/errors.ts';
import type { ApiServer } from '../index.ts';
import { badRequest, Refusal } from '../refusals.ts';
import { textOf } from '../texts.ts';
import { reader, selectors } from './answers.ts';
import { isTrue, type WireRequest } from './requests.ts';

/** How an object goes to this client: as it is, its metadata, or a table of one row. */
export type Show = (object: KubeObject) => object;

/** A watch. */
export interface WireStream {
  readonly lines: AsyncIterable<string>;
  /** Whether the server has forgotten what comes after the last line that was read. */
  isLost(): boolean;
}

export function streamOf(server: ApiServer, request: WireRequest, show: Show, signal: AbortSignal): WireStream {
  let read = Number.POSITIVE_INFINITY;
  const onRead = (revision: number) => {
    read = revision;
  };
  return { lines: linesOf(server, request, { show, onRead }, signal), isLost: () => read < server.forgotten(request.type) };
}

/** Without a version a watch begins with all there is. With `sendInitialEvents` no list is asked for: that is refused, as by a server that lacks it. */
async function* linesOf(
  server: ApiServer,
  { type, namespace, name, query }: WireRequest,
  { show, onRead }: { readonly show: Show; readonly onRead: (revision: number) => void },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const line = (what: string, object: object) => `{"type":"${what}","object":${textOf(object)}}\n`;
  const selected = { ...selectors(query), ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }) };
  let resourceVersion = query.get('resourceVersion') ?? '';
  try {
    if (resourceVersion === '' || resourceVersion === '0') {
      const list = await reader(server).list(type, { namespace, ...selected });
      ({ resourceVersion } = list);
      onRead(Number(resourceVersion));
      for (const object of list.items) yield line('ADDED', show(object));
    }
    const timeoutSeconds = Math.max(0, Math.min(Number(query.get('timeoutSeconds')) || 1800, 3600));
    for await (const { type: what, object } of reader(server).watch(type, {
      namespace,
      ...selected,
      resourceVersion,
      timeoutSeconds,
      signal,
    })) {
      onRead(Number(object.metadata.resourceVersion));
      yield line(what, what === 'BOOKMARK' ? { ...object, apiVersion: apiVersionOf(type), kind: type.kind } : show(object));
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    yield line('ERROR', { apiVersion: 'v1', metadata: {}, status: 'Failure', code: error.status, ...error.body });
  }
}

/** @throws Refusal for a watch that the server cannot give */
export function checkWatch({ query }: WireRequest): void {
  const resourceVersion = query.get('resourceVersion') ?? '';
  if (!/^\d{0,15}$/.test(resourceVersion)) throw badRequest(`Invalid value: ${JSON.stringify(resourceVersion)}: a version of this server`);
  if (isTrue(query.get('sendInitialEvents')))
    throw new Refusal(
      422,
      'Invalid',
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    );
}
