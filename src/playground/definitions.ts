/** CustomResourceDefinitions as they come and go: what is served follows them. */
import { CustomResourceDefinition } from '../api-server/kinds.ts';
import { definitionSpec } from '../api-server/definition.ts';
import type { ApiServer } from '../api-server/index.ts';
import { createSchemas, type Schemas } from '../api-server/schema/index.ts';
import { newEvent } from '../api-server/wire/events.ts';
import { createOpenApi } from '../api-server/wire/openapi/index.ts';
import { byPath } from '../api-server/wire/requests.ts';
import { type Served, servedBuiltIns, servedBy, servedKind } from '../api-server/wire/served.ts';
import { controllerClient } from '../api-server/controllers/client.ts';
import type { Task } from '../api-server/controllers/index.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '../kube/types.ts';
import { REVIEWS } from './reviews.ts';

export interface Definitions {
  readonly crds: readonly KubeObject[];
  readonly served: readonly Served[];
  readonly types: ReadonlyMap<string, ResourceType>;
  /** Answers paths of OpenAPI. */
  readonly openApi: ReturnType<typeof createOpenApi>;
}

const POD_SUBRESOURCES = [
  { name: 'eviction', kind: { group: 'policy', version: 'v1', kind: 'Eviction' }, verbs: ['create'] },
  { name: 'exec', verbs: ['create', 'get'] },
  { name: 'log', verbs: ['get'] },
];
const ALWAYS: readonly Served[] = [
  ...servedBuiltIns.map((each) => (each.type.kind === 'Pod' ? servedKind(each.type, POD_SUBRESOURCES) : each)),
  servedKind(newEvent),
  ...REVIEWS,
];

const isAlways = (group: string, plural: string): boolean => ALWAYS.some(({ type }) => type.group === group && type.plural === plural);

/**
 * Asked at each request; computed anew only after a definition has changed.
 *
 * @param onSchemas is called with the schemas of now
 */
export function followDefinitions(server: ApiServer, onSchemas: (schemas: Schemas) => void): () => Definitions {
  let known: Definitions | undefined;
  let own: readonly ResourceType[] = [];
  return () => {
    // The list stays the same one until one of them changes.
    const crds = server.all(CustomResourceDefinition.kind);
    if (known?.crds === crds) return known;
    // Kubernetes' own kinds stay its own: a definition cannot replace them.
    const theirs = crds.flatMap(servedBy).filter(({ type: { group, plural } }) => !isAlways(group, plural));
    for (const before of own)
      if (!theirs.some(({ type }) => apiVersionOf(type) === apiVersionOf(before) && type.kind === before.kind))
        server.uninstall(before.kind, apiVersionOf(before));
    own = theirs.map(({ type }) => type);
    for (const type of own) server.install(type);
    const served = [...ALWAYS, ...theirs];
    known = { crds, served, types: byPath(served.map(({ type }) => type)), openApi: createOpenApi(served, crds) };
    onSchemas(createSchemas(crds.map(understood)));
    return known;
  };
}

/** A definition with a rule that the server does not know: none of its rules is checked, and everything else is. */
function understood(crd: KubeObject): KubeObject {
  try {
    createSchemas([crd]);
    return crd;
  } catch {
    return JSON.parse(JSON.stringify(crd, (key, value: unknown) => (key === 'x-kubernetes-validations' ? undefined : value))) as KubeObject;
  }
}

/** As the API server's own controllers: a definition says that it is served. */
export function establish(server: ApiServer): Task {
  const client = controllerClient(server, 'kube-apiserver');
  function work(crd: KubeObject): boolean {
    const { names, versions } = definitionSpec(crd);
    const { conditions } = (crd['status'] ?? {}) as { conditions?: readonly object[] };
    if (conditions) return false;
    const condition = (type: string, reason: string, message: string) => ({
      type,
      status: 'True',
      reason,
      message,
      lastTransitionTime: crd.metadata['creationTimestamp'],
    });
    const status = {
      acceptedNames: names,
      storedVersions: versions.filter(({ storage }) => storage).map(({ name }) => name),
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
    };
    return client.patch(crd, { status }, 'status');
  }
  return { kinds: [CustomResourceDefinition.kind], work };
}
