/** Every request of a client to its answer: paths of the server itself, objects, and watches. */
import { apiVersionOf, type KubeObject, type ResourceType } from '../../kube/types.ts';
import type { ApiServer } from '../index.ts';
import { isBuiltIn } from '../kinds.ts';
import { Refusal } from '../refusals.ts';
import { textOf, textOfList } from '../texts.ts';
import { act, type Admission, partial, refusalAnswer, type WireAnswer } from './answers.ts';
import { isNewEvent, shown, stored, storedEvent } from './events.ts';
import { checkShape } from './shapes.ts';
import { checkWatch, streamOf, type WireStream } from './streams.ts';
import { readRequest, type Sent, type WireRequest } from './requests.ts';

/** The parts of a server besides its objects. */
export interface WireParts {
  readonly server: ApiServer;
  /** By `<group>/<version>/<plural>`. */
  readonly types: () => ReadonlyMap<string, ResourceType>;
  /** Discovery, OpenAPI and version; undefined for a path that is about objects. */
  readonly document: (path: string, accept: string) => WireAnswer | undefined;
  /** The webhooks of a write, which take time; undefined: none. The object that they return is written. @throws Refusal */
  readonly webhooks: (request: WireRequest) => ((object: KubeObject, before: KubeObject | undefined) => Promise<KubeObject>) | undefined;
  /** A Table of objects, as kubectl prints them. */
  readonly table: (request: WireRequest, objects: readonly KubeObject[], list: { readonly [key: string]: unknown }) => object;
  /** The answer to an object that is looked at and not kept; undefined for one that is. */
  readonly review: (request: WireRequest) => WireAnswer | undefined;
  /** Subresources that are no part of the object, such as the log of a pod; undefined for one that is not served. */
  readonly subresource: (request: WireRequest) => WireAnswer | undefined;
}

export function createWire(parts: WireParts): (sent: Sent, signal: AbortSignal) => Promise<WireAnswer | WireStream> {
  const { server, types, document } = parts;

  async function objects(sent: Sent, signal: AbortSignal): Promise<WireAnswer | WireStream> {
    const asked = named(readRequest(types(), sent), String(sent.headers['user-agent'] ?? ''));
    const request = isNewEvent(asked.type)
      ? { ...asked, type: storedEvent, ...(asked.body !== undefined && { body: stored(asked.body as KubeObject) }) }
      : asked;
    const reviewed = parts.review(request);
    if (reviewed) return reviewed;
    if (request.subresource !== undefined && request.subresource !== 'status') {
      const answer = parts.subresource(request);
      if (answer) return answer;
      throw new Refusal(
        404,
        'NotFound',
        `the server could not find the requested resource: ${request.type.plural}/${request.subresource}`,
        {},
      );
    }
    const show = (object: KubeObject): KubeObject => (isNewEvent(asked.type) ? shown(object) : object);
    if (request.verb === 'watch') {
      checkWatch(request);
      return streamOf(server, request, (object) => form(request, show(object)), signal);
    }
    const warnings: string[] = [];
    const result = await written(parts, { ...request, wants: 'object' }, (text) => warnings.push(text));
    const status = request.verb === 'create' ? 201 : 200;
    const headers = warnings.length > 0 ? { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ') } : {};
    return { status, headers, text: textFor(request, result, show) };
  }

  function textFor(request: WireRequest, result: object, show: (object: KubeObject) => KubeObject): string {
    if (request.verb !== 'list') return textOf(isStatus(result) ? result : form(request, show(result as KubeObject)));
    const { items, metadata, ...list } = result as { items: readonly KubeObject[]; metadata: Record<string, unknown> };
    if (request.wants === 'table') return JSON.stringify(parts.table(request, items.map(show), metadata));
    return textOfList(
      { ...(request.wants === 'metadata' ? PARTIAL_LIST : list), metadata },
      items.map((object) => form(request, show(object))),
    );
  }

  function form(request: WireRequest, object: KubeObject): object {
    if (request.wants === 'table') return parts.table(request, [object], { resourceVersion: object.metadata.resourceVersion });
    return request.wants === 'metadata' ? partial(object) : object;
  }

  return async (sent, signal) => {
    try {
      return document(sent.path, String(sent.headers['accept'] ?? '')) ?? (await objects(sent, signal));
    } catch (error) {
      if (error instanceof Refusal) return refusalAnswer(error);
      throw error;
    }
  };
}

/** While others are asked about an object, it may change: then they are asked again about what it has become. */
async function written({ server, webhooks }: WireParts, request: WireRequest, warn: (text: string) => void): Promise<object> {
  const ask = webhooks(request);
  const shaped: Admission = (of, object) => {
    if (isBuiltIn(of.type)) checkShape(of, object);
    return object;
  };
  if (!ask) return act(server, request, { admit: shaped, warn });
  const { type, namespace, name = (request.body as KubeObject | undefined)?.metadata?.name } = request;
  const now = () => (name === undefined ? undefined : server.get(type.kind, namespace, name, apiVersionOf(type)));
  for (;;) {
    const before = now();
    let candidate: KubeObject | undefined;
    const dry = { ...request, query: new URLSearchParams([...request.query, ['dryRun', 'All']]) };
    await act(server, dry, { admit: (of, object) => (candidate = shaped(of, object)) });
    // Nothing would change, which nobody is asked about.
    if (!candidate) return act(server, request, { warn });
    const reviewed = await ask(candidate, before);
    if (now()?.metadata.resourceVersion !== before?.metadata.resourceVersion) continue;
    const admit: Admission = (of, object) =>
      shaped(of, { ...reviewed, metadata: { ...reviewed.metadata, ...ownOf(object) } } as KubeObject);
    return act(server, request, { admit, warn });
  }
}

/** The fields that the server gives each new object anew. */
const ownOf = ({ metadata: { name, uid, creationTimestamp } }: KubeObject) => ({ name, uid, creationTimestamp });

const PARTIAL_LIST = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadataList' };
const isStatus = (result: object): boolean => (result as { kind?: string }).kind === 'Status';

/** A client that does not say whose the fields are is named by its program, as apiserver's managerOrUserAgent does. */
function named(request: WireRequest, userAgent: string): WireRequest {
  if (request.query.get('fieldManager')) return request;
  const query = new URLSearchParams(request.query);
  query.set('fieldManager', (userAgent.split('/')[0] ?? '').slice(0, 128) || 'unknown');
  return { ...request, query };
}
