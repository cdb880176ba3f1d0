/** Mutating webhooks, asked as kube-apiserver asks them, on this machine. Validating ones and deletions are not asked about. */
import { randomUUID } from 'node:crypto';
import { request as ask } from 'node:https';
import { json } from 'node:stream/consumers';
import { applyPatch, type Operation as Change } from 'rfc6902';
import type { ApiServer } from '../api-server/index.ts';
import { MutatingWebhookConfiguration } from '../api-server/kinds.ts';
import { Refusal } from '../api-server/refusals.ts';
import type { Verb } from '../api-server/rules.ts';
import type { WireRequest } from '../api-server/wire/requests.ts';
import type { WireParts } from '../api-server/wire/serve.ts';
import { selectorText } from '../api-server/wire/table/selectors.ts';
import { parseSelector } from '../kube/selector.ts';
import type { KubeObject } from '../kube/types.ts';
import { USER } from './reviews.ts';

interface Entry {
  readonly name: string;
  readonly clientConfig: { readonly caBundle?: string; readonly url?: string; readonly service?: { readonly path?: string } };
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly operations: readonly string[];
    readonly resources: readonly string[];
  }[];
  readonly namespaceSelector?: object;
  readonly objectSelector?: object;
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly timeoutSeconds?: number;
}

/**
 * The webhooks of a write, as a function that calls them one after the other; undefined: none.
 *
 * @param port where Sluice's own webhook listens, in place of the Service in its configuration: Services are simulated. Undefined: it does not run
 */
export function createWebhooks(server: ApiServer, port: () => number | undefined): WireParts['webhooks'] {
  return (request) => {
    const operation = OPERATIONS[request.verb];
    if (operation === undefined) return undefined;
    const entries = server
      .all(MutatingWebhookConfiguration.kind)
      .flatMap((each) => (each['webhooks'] ?? []) as readonly Entry[])
      .filter((entry) => isFor(entry, request, operation));
    if (entries.length === 0) return undefined;
    return async (object, before) => {
      let made = object;
      for (const entry of entries)
        if (selects(entry.objectSelector, object)) made = await reviewed(entry, request, { operation, object: made, before });
      return made;
    };
  };

  function isFor({ rules = [], namespaceSelector }: Entry, { type, namespace, subresource }: WireRequest, operation: Operation): boolean {
    const has = (list: readonly string[], value: string) => list.includes('*') || list.includes(value);
    const resource = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
    const home = namespace === undefined ? undefined : server.get('Namespace', undefined, namespace);
    return (
      rules.some((rule) => has(rule.apiGroups, type.group) && has(rule.operations, operation) && has(rule.resources, resource)) &&
      (home === undefined || selects(namespaceSelector, home))
    );
  }

  async function reviewed(entry: Entry, request: WireRequest, asked: Asked): Promise<KubeObject> {
    const { clientConfig, failurePolicy = 'Fail', name, timeoutSeconds = 10 } = entry;
    const { url, service, caBundle = '' } = clientConfig;
    try {
      const at = port();
      if (url === undefined && at === undefined) throw new Error('no webhook runs');
      const to = url ?? `https://127.0.0.1:${at}${service?.path ?? '/'}`;
      return patched(asked.object, await post(to, caBundle, JSON.stringify(reviewOf(request, asked)), timeoutSeconds * 1000), name);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (failurePolicy === 'Ignore') return asked.object;
      throw new Refusal(500, 'InternalError', `Internal error occurred: failed calling webhook "${name}": ${String(error)}`);
    }
  }
}

type Operation = 'CREATE' | 'UPDATE';
interface Asked {
  readonly operation: Operation;
  readonly object: KubeObject;
  readonly before: KubeObject | undefined;
}
/** An apply creates what there is not; which of the two it is makes no difference to the webhooks here. */
const OPERATIONS: Readonly<Partial<Record<Verb, Operation>>> = { create: 'CREATE', update: 'UPDATE', patch: 'UPDATE', apply: 'UPDATE' };

/** A selector that cannot be read selects nothing. */
function selects(selector: object | undefined, { metadata }: KubeObject): boolean {
  const text = selectorText(selector);
  return text !== undefined && parseSelector(text)(metadata.labels ?? {});
}

const reviewOf = ({ type: { group, version, kind, plural }, namespace, subresource, query }: WireRequest, asked: Asked) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: randomUUID(),
    kind: { group, version, kind },
    resource: { group, version, resource: plural },
    requestKind: { group, version, kind },
    requestResource: { group, version, resource: plural },
    ...(subresource !== undefined && { subResource: subresource, requestSubResource: subresource }),
    name: asked.object.metadata.name ?? '',
    namespace,
    operation: asked.operation,
    userInfo: USER,
    object: asked.object,
    oldObject: asked.before ?? null,
    dryRun: query.get('dryRun') === 'All',
    options: {},
  },
});

interface Answer {
  readonly response?: {
    readonly allowed?: boolean;
    readonly patch?: string;
    readonly status?: { readonly message?: string; readonly code?: number; readonly reason?: string };
  };
}

function patched(object: KubeObject, { response = {} }: Answer, name: string): KubeObject {
  const { allowed, patch, status = {} } = response;
  if (allowed !== true)
    throw new Refusal(
      status.code ?? 403,
      status.reason ?? 'Forbidden',
      `admission webhook "${name}" denied the request: ${status.message ?? 'without explanation'}`,
    );
  if (!patch) return object;
  const changed = structuredClone(object);
  const failure = applyPatch(changed, JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as Change[]).find((each) => each !== null);
  if (failure) throw new Error(`its patch does not apply: ${failure.message}`);
  return changed;
}

function post(url: string, caBundle: string, body: string, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = ask(url, { method: 'POST', headers, ca: Buffer.from(caBundle, 'base64'), timeout: timeoutMs }, (response) => {
      json(response).then((answer) => resolve(answer as Answer), reject);
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`))).on('error', reject);
    sent.end(body);
  });
}
