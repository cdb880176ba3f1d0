/** Rights that a take-over needs, and which of them the user lacks. */
import type { Manifest } from '../../api/index.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { typeOfManifest } from '../../planning/kinds.ts';
import { type MissingRight, rightText } from '../fluid/reads.ts';

type Right = MissingRight;

/** Rights on Fluid's own objects, in its namespace. */
const AT_HOME: Rights = [
  [['list', 'patch'], 'apps', 'deployments'],
  [['get', 'delete'], 'apps', 'daemonsets'],
  [['list', 'create', 'delete'], '', 'pods'],
  [['get', 'list', 'create', 'update'], 'coordination.k8s.io', 'leases'],
  // The record of the take-over, and lists of plugins.
  [['get', 'create', 'update'], '', 'configmaps'],
  [['get'], '', 'secrets'],
  [['get'], '', 'services'],
  [['list'], 'discovery.k8s.io', 'endpointslices'],
];
const EVERYWHERE: Rights = [
  [['list'], 'storage.k8s.io', 'csinodes'],
  [['get'], 'storage.k8s.io', 'csidrivers'],
  [['get'], 'rbac.authorization.k8s.io', 'clusterrolebindings'],
  [['get'], 'admissionregistration.k8s.io', 'mutatingwebhookconfigurations'],
  [['list'], '', 'nodes'],
  [['list'], 'workload.fluid.io', 'advancedstatefulsets'],
];
/** On the records of helm's release, in its namespace. */
const RECORDS: readonly string[] = ['secrets', 'configmaps'];
type Rights = readonly (readonly [verbs: readonly string[], group: string, resource: string])[];

/** Each once: those that the manifests of Sluice need to be applied, and those on what of Fluid is stopped. */
export function rightsOf(
  manifests: readonly Manifest[],
  fluidNamespace: string,
  release?: { readonly namespace: string },
): readonly Right[] {
  const applied = manifests.flatMap((manifest) => {
    const { group, plural } = typeOfManifest(manifest);
    const { namespace } = manifest.metadata;
    // Secrets are read by name.
    return ['create', 'patch', plural === 'secrets' ? 'get' : 'list'].map((verb) => right(verb, group, plural, namespace));
  });
  const rights = [
    ...applied,
    ...AT_HOME.flatMap(([verbs, group, resource]) => verbs.map((verb) => right(verb, group, resource, fluidNamespace))),
    ...EVERYWHERE.flatMap(([verbs, group, resource]) => verbs.map((verb) => right(verb, group, resource))),
    ...(release ? RECORDS.flatMap((plural) => ['list', 'get', 'patch'].map((verb) => right(verb, '', plural, release.namespace))) : []),
  ];
  return [...new Map(rights.map((each) => [rightText(each), each])).values()];
}

const right = (verb: string, group: string, resource: string, namespace?: string): Right => ({
  verb,
  group,
  resource,
  ...(namespace !== undefined && { namespace }),
});

/** Those that the API server says the user does not have; undefined if it does not say. */
export async function lackedRights(client: KubeClient, rights: readonly Right[]): Promise<readonly Right[] | undefined> {
  try {
    const answers = await Promise.all(rights.map(async (each) => [each, await isAllowed(client, each)] as const));
    return answers.filter(([, allowed]) => !allowed).map(([each]) => each);
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

/** kubernetes.io/docs/reference/access-authn-authz/authorization: a review is answered, and not stored. */
async function isAllowed(client: KubeClient, { verb, group, resource, namespace, name }: Right): Promise<boolean> {
  const resourceAttributes = { verb, group, resource, ...(namespace !== undefined && { namespace }), ...(name !== undefined && { name }) };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } };
  const answer = (await client.raw('POST', REVIEWS, { body })) as { readonly status?: { readonly allowed?: boolean } };
  return answer.status?.allowed === true;
}

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
