/** The server of the page in a cluster whose API server reviews tokens and rights. */
import { runtimes } from '../../runtimes/_all.gen.ts';
import { settingsOf } from '../../src/cli/settings/config.ts';
import { shownKinds } from '../../src/cli/ui/in-cluster.ts';
import { createPreview } from '../../src/cli/ui/preview.ts';
import type { KubeClient } from '../../src/kube/contract.ts';
import { ApiError } from '../../src/kube/errors.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import { serveUi } from '../../src/ui/server/server.ts';
import { clusterViewers } from '../../src/ui/server/viewers/cluster-viewers.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import type { ApiServer } from './scene.ts';

/** `datasets ml`, `* ml`, `nodes `: a kind, or all, and a namespace, or the cluster. `* *`: everything. */
export type Rights = Set<string>;

export interface Reviewer {
  /** Users by token. */
  readonly tokens: Map<string, string>;
  /** Rights by user. */
  readonly rights: Map<string, Rights>;
  /** Reviews that were asked for. */
  readonly asked: { tokens: number; rights: number };
  /** Instead of an answer. */
  failing?: Error | undefined;
}

export const reviewer = (): Reviewer => ({ tokens: new Map(), rights: new Map(), asked: { tokens: 0, rights: 0 } });

/** Whether a user has a right: a review without a namespace is about all of them. */
export function may({ rights }: Reviewer, user: string, plural: string, namespace: string | undefined): boolean {
  const own = rights.get(user) ?? new Set();
  const places = namespace ? [namespace, '*'] : ['*'];
  return places.some((place) => own.has(`${plural} ${place}`) || own.has(`* ${place}`));
}

/** A client of the API server in memory, which has no reviews of its own. */
function reviewing(client: KubeClient, reviews: Reviewer): KubeClient {
  return {
    ...client,
    async create(type, object, options) {
      const { spec } = object as unknown as {
        spec: { token?: string; user?: string; resourceAttributes?: { resource: string; namespace?: string } };
      };
      if (reviews.failing) throw reviews.failing;
      if (type.kind === 'TokenReview') {
        reviews.asked.tokens++;
        const username = reviews.tokens.get(spec.token ?? '');
        return {
          ...object,
          status: username === undefined ? { authenticated: false } : { authenticated: true, user: { username, groups: ['g'] } },
        } as KubeObject;
      }
      if (type.kind === 'SubjectAccessReview') {
        reviews.asked.rights++;
        const { resource = '', namespace } = spec.resourceAttributes ?? {};
        return { ...object, status: { allowed: may(reviews, spec.user ?? '', resource, namespace) } } as KubeObject;
      }
      return client.create(type, object, options);
    },
  };
}

/** A client that has the rights of a token's user alone, as a real API server would see to it. */
function clientWith(client: KubeClient, reviews: Reviewer, token: string): KubeClient {
  const check = (type: ResourceType, namespace: string | undefined) => {
    if (may(reviews, reviews.tokens.get(token) ?? '', type.plural, namespace)) return;
    const message = `${type.plural} is forbidden: User cannot list resource "${type.plural}" in namespace "${namespace}"`;
    throw new ApiError({ method: 'GET', path: `/${type.plural}` }, 403, message, { body: { reason: 'Forbidden', code: 403, message } });
  };
  return {
    ...client,
    get: async (type, name, options) => (check(type, name.namespace), client.get(type, name, options)),
    list: async (type, options) => (check(type, options?.namespace), client.list(type, options)),
    create: async (type, object, options) => (check(type, object.metadata.namespace), client.create(type, object, options)),
    apply: async (type, object, options) => (check(type, object.metadata.namespace), client.apply(type, object, options)),
    update: async (type, object, options) => (check(type, object.metadata.namespace), client.update(type, object, options)),
  };
}

export async function clusterUi(api: ApiServer, reviews: Reviewer, clock?: ManualClock) {
  const client = api.client({ readsOnly: true });
  const kinds = shownKinds(runtimes);
  const viewers = clusterViewers({
    client: reviewing(client, reviews),
    clientOf: (token) => clientWith(client, reviews, token),
    kinds,
    cluster: 'test',
    ...(clock && { clock }),
  });
  return serveUi({
    client,
    runtimes,
    mayList: () => true,
    viewers,
    assets: new Map(),
    preview: createPreview({ runtimes, settings: settingsOf({}, {}, runtimes) }),
    isLocal: false,
    port: 0,
  });
}
