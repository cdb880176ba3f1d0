import type { Manifest } from '../../api/index.ts';
import { labels } from '../../install/labels.ts';
import type { KubeClient } from '../../kube/client/kube-client.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { Refused } from '../errors.ts';

/** The namespaces that a cluster-scoped object of an installation is for: of the accounts that it gives rights to, or of its Service. */
export function namespacesOf(object: KubeObject | Manifest): readonly string[] {
  const { subjects = [], webhooks = [] } = object as {
    readonly subjects?: readonly { readonly namespace?: string }[];
    readonly webhooks?: readonly { readonly clientConfig?: { readonly service?: { readonly namespace?: string } } }[];
  };
  const found = [...subjects.map((each) => each.namespace), ...webhooks.map(({ clientConfig }) => clientConfig?.service?.namespace)];
  return [...new Set(found.filter((each) => each !== undefined))].toSorted();
}

/** Whether an object has the labels of an installation: without them it belongs to someone else, even under our name. */
export const isOwn = (live: KubeObject, { metadata }: Manifest): boolean =>
  Object.entries({ ...metadata.labels, ...labels() }).every(([key, value]) => live.metadata.labels?.[key] === value);

/**
 * Throws Refused if the installation in this cluster is in other namespaces than this one. Its cluster-scoped objects say so; if none of
 * them exists, as after an uninstallation that was interrupted, its workloads do.
 *
 * @param read returns the live object of a manifest
 */
export async function checkNamespace(
  client: KubeClient,
  namespace: string,
  manifests: readonly Manifest[],
  read: (manifest: Manifest) => Promise<KubeObject | undefined>,
): Promise<void> {
  const live = await Promise.all(
    manifests.filter((manifest) => namespacesOf(manifest).length > 0).map(async (manifest) => ({ manifest, object: await read(manifest) })),
  );
  let found = live.flatMap(({ manifest, object }) => (object && isOwn(object, manifest) ? namespacesOf(object) : []));
  if (found.length === 0) {
    const parts = manifests.filter(({ kind, metadata }) => WORKLOADS.has(kind) && metadata.namespace === namespace);
    const kinds = [...new Set(parts.map(({ kind }) => kind))];
    const labelSelector = Object.entries(labels()).map((pair) => pair.join('='));
    const lists = await Promise.all(
      kinds.map(
        async (kind) => (await client.list(typeOfWorkload(kind), { labelSelector: labelSelector.join(','), metadataOnly: true })).items,
      ),
    );
    const isPart = ({ metadata: { name } }: KubeObject) => parts.some(({ metadata }) => metadata.name === name);
    found = lists.flat().flatMap((each) => (isPart(each) && each.metadata.namespace) || []);
  }
  const namespaces = [...new Set(found)].toSorted();
  if (namespaces.length === 0 || namespaces.includes(namespace)) return;
  throw new Refused(
    `nothing was deleted: Sluice is installed in ${namespaces.join(' and ')}, not in ${namespace}: --namespace ${namespaces[0]}`,
  );
}

const WORKLOADS: ReadonlySet<string> = new Set(['Deployment', 'DaemonSet']);
const typeOfWorkload = (kind: string): ResourceType => ({
  group: 'apps',
  version: 'v1',
  plural: `${kind.toLowerCase()}s`,
  kind,
  namespaced: true,
});
