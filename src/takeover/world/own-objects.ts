import type { Manifest } from '../../api/index.ts';
import { labels } from '../../install/labels.ts';
import { selectorText } from '../../kube/selector.ts';
import type { ResourceType } from '../../kube/types.ts';
import { Secret, typeOfManifest } from '../../planning/kinds.ts';
import type { FluidReader } from '../fluid/reads.ts';
import type { Seen } from '../steps/step.ts';

export interface OwnObjects<P> {
  /** Objects of the installation that exist and have its labels. */
  readonly objects: readonly (Seen & { readonly part: P })[];
  /** Parts of which an object does not exist. */
  readonly missing: ReadonlySet<P>;
}

/** One list for each kind and namespace of the installation: the labels tell Sluice's objects from Fluid's of the same names. */
export async function ownObjects<P extends string>(reads: FluidReader, parts: ReadonlyMap<P, readonly Manifest[]>): Promise<OwnObjects<P>> {
  const lists = new Map<string, Promise<ReadonlyMap<string, string>>>();
  const labelSelector = selectorText({ 'app.kubernetes.io/part-of': labels()['app.kubernetes.io/part-of'] });
  /** The UID of the live object. */
  const uidOf = async (manifest: Manifest, type: ResourceType): Promise<string | undefined> => {
    const { namespace, name } = manifest.metadata;
    // The right to list Secrets is the right to read them all.
    if (type.kind === Secret.kind) return (await reads.get(type, { namespace, name }, { metadataOnly: true }))?.metadata.uid;
    const key = `${type.group}/${type.plural}/${namespace ?? ''}`;
    const list =
      lists.get(key) ??
      reads
        .list(type, { ...(namespace !== undefined && { namespace }), labelSelector, metadataOnly: true })
        .then((objects) => new Map(objects.map(({ metadata }) => [metadata.name, metadata.uid ?? ''])));
    lists.set(key, list);
    return (await list).get(name);
  };
  const all = [...parts].flatMap(([part, manifests]) => manifests.map((manifest) => ({ part, manifest })));
  const found = await Promise.all(
    all.map(async ({ part, manifest }) => {
      const type = typeOfManifest(manifest);
      return { part, type, ...manifest.metadata, uid: await uidOf(manifest, type) };
    }),
  );
  return {
    objects: found.flatMap(({ part, type, namespace, name, uid }) => (uid === undefined ? [] : [{ part, type, namespace, name, uid }])),
    missing: new Set(found.flatMap(({ part, uid }) => (uid === undefined ? [part] : []))),
  };
}
