/** Discovery: the resources of a server, as clients ask for them before their first request; rule: apiserver's pkg/endpoints/discovery. */
import { apiVersionOf } from '../../kube/types.ts';
import type { Served } from './served.ts';

/** An answer of discovery. */
export interface Discovered {
  /** Clients read it: the aggregated form is only told by it. */
  readonly contentType: string;
  readonly body: object;
}

const JSON_TYPE = 'application/json';
const AGGREGATED_VERSIONS = ['v2', 'v2beta1'] as const;

/**
 * The answer to a path of discovery, or nothing for another path or a group that is not served. `/api` and `/apis` have an aggregated
 * form as well, with all resources at once, for clients that accept it first (kubectl from 1.26 on).
 * @param path without query
 * @param accept the header of the request
 * @example
 * discovery('/apis/apps/v1', '*\/*', servedBuiltIns)?.body; // → { kind: 'APIResourceList', groupVersion: 'apps/v1', resources: […] }
 */
export function discovery(path: string, accept: string | undefined, served: readonly Served[]): Discovered | undefined {
  const plain = (body: object | undefined) => body && { contentType: JSON_TYPE, body };
  const [, root, ...rest] = path.replace(/\/$/, '').split('/');
  if (root !== 'api' && root !== 'apis') return undefined;
  const ofRoot = served.filter(({ type }) => (root === 'api') === (type.group === ''));
  if (rest.length === 0) {
    const version = aggregatedVersion(accept);
    if (version) return { contentType: aggregatedType(version), body: aggregated(version, ofRoot) };
    return plain(root === 'api' ? coreVersions(ofRoot) : groupList(ofRoot));
  }
  const [group = '', version, ...more] = root === 'api' ? ['', ...rest] : rest;
  const ofGroup = ofRoot.filter(({ type }) => type.group === group);
  if (ofGroup.length === 0 || more.length > 0) return undefined;
  if (version === undefined) return plain({ kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, ofGroup) });
  const ofVersion = ofGroup.filter(({ type }) => type.version === version);
  return ofVersion.length === 0 ? undefined : plain(resourceList(apiVersionOf({ group, version }), ofVersion));
}

const aggregatedType = (version: string) => `${JSON_TYPE};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

/** The version in the first media type that the server can answer with; none if that is plain JSON. */
function aggregatedVersion(accept = ''): (typeof AGGREGATED_VERSIONS)[number] | undefined {
  for (const one of accept.split(',')) {
    const [media = '', ...parameters] = one.split(';').map((part) => part.trim());
    if (media !== JSON_TYPE) continue;
    const said = new Map(parameters.map((parameter) => parameter.split('=') as [string, string]));
    if (said.get('as') === undefined) return undefined;
    const version = AGGREGATED_VERSIONS.find((name) => name === said.get('v'));
    if (said.get('as') === 'APIGroupDiscoveryList' && said.get('g') === 'apidiscovery.k8s.io' && version) return version;
  }
  return undefined;
}

const unique = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];
const groupsIn = (served: readonly Served[]) => unique(served.map(({ type }) => type.group));
const versionsIn = (served: readonly Served[]) => unique(served.map(({ type }) => type.version));
const byName = (served: readonly Served[]) => served.toSorted((a, b) => (a.type.plural < b.type.plural ? -1 : 1));

const coreVersions = (served: readonly Served[]) => ({
  kind: 'APIVersions',
  versions: versionsIn(served),
  serverAddressByClientCIDRs: [],
});

function groupOf(name: string, served: readonly Served[]) {
  const versions = versionsIn(served).map((version) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  return { name, versions, preferredVersion: versions[0] };
}
const groupList = (served: readonly Served[]) => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groupsIn(served).map((group) =>
    groupOf(
      group,
      served.filter(({ type }) => type.group === group),
    ),
  ),
});

const resourceList = (groupVersion: string, served: readonly Served[]) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion,
  resources: byName(served).flatMap(({ type, singular, shortNames, categories, verbs, subresources }) => [
    {
      name: type.plural,
      singularName: singular,
      namespaced: type.namespaced,
      kind: type.kind,
      verbs,
      ...(shortNames && { shortNames }),
      ...(categories && { categories }),
    },
    ...subresources.map((subresource) => ({
      name: `${type.plural}/${subresource.name}`,
      singularName: '',
      namespaced: type.namespaced,
      kind: type.kind,
      ...subresource.kind,
      verbs: subresource.verbs,
    })),
  ]),
});

/** All groups of a root, each with all that it serves. */
const aggregated = (version: string, served: readonly Served[]) => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: `apidiscovery.k8s.io/${version}`,
  metadata: {},
  items: groupsIn(served).map((group) => {
    const ofGroup = served.filter(({ type }) => type.group === group);
    return {
      metadata: { ...(group !== '' && { name: group }), creationTimestamp: null },
      versions: versionsIn(ofGroup).map((name) => ({
        version: name,
        resources: byName(ofGroup.filter(({ type }) => type.version === name)).map(aggregatedResource),
        freshness: 'Current',
      })),
    };
  }),
});

function aggregatedResource({ type, singular, shortNames, categories, verbs, subresources }: Served) {
  const { group, version, kind } = type;
  return {
    resource: type.plural,
    responseKind: { group, version, kind },
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames && { shortNames }),
    ...(categories && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((subresource) => ({
        subresource: subresource.name,
        responseKind: subresource.kind ?? { group, version, kind },
        verbs: subresource.verbs,
      })),
    }),
  };
}
