import type { ApiServer } from '../api-server/index.ts';
import { notFound } from '../api-server/refusals.ts';
import { act, type WireAnswer } from '../api-server/wire/answers.ts';
import type { WireRequest } from '../api-server/wire/requests.ts';
import { scaled } from '../api-server/wire/scale.ts';
import type { Served } from '../api-server/wire/served.ts';
import { containerOf } from './container-name.ts';
import { LOG } from './kubelets.ts';

/** Subresources that are no part of their object: logs and evictions of pods, and scales. Undefined for one that is not served. @throws Refusal */
export function subresource(server: ApiServer, served: readonly Served[], request: WireRequest): WireAnswer | undefined {
  const { type, namespace, name = '', subresource: asked, verb } = request;
  if (type.group === '' && type.kind === 'Pod') {
    if (asked === 'log' && verb === 'get') {
      const pod = server.get(type.kind, namespace, name);
      if (!pod) throw notFound({ type, name });
      containerOf(pod, request.query.get('container') ?? '');
      return { status: 200, headers: {}, text: LOG };
    }
    if (asked === 'eviction' && verb === 'create') {
      const { deleteOptions } = (request.body ?? {}) as { readonly deleteOptions?: object };
      const done = act(server, { ...request, verb: 'delete', subresource: undefined, body: deleteOptions }, {});
      return { status: 201, headers: {}, text: JSON.stringify(done) };
    }
  }
  const scale = served.find((each) => each.type.group === type.group && each.type.kind === type.kind)?.scale;
  if (asked !== 'scale' || !scale) return undefined;
  return { status: 200, headers: {}, text: JSON.stringify(scaled(server, request, scale)) };
}
