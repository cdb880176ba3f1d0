import { type Dataset, joinedName, ownerUid, rivalNames } from '../../api/index.ts';
import type { RuntimeInput } from '../../constructs/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { identityOf } from '../../planning/identity.ts';
import { type Key, keyOf, keyText } from '../../planning/key.ts';
import type { RuntimeObject } from '../../planning/objects.ts';
import { unknownUid } from './fact-sources.ts';
import type { Lookup } from './lookup.ts';

/** The inputs that decide the names of a dataset. */
export interface NamingContext {
  /** Where to look for objects outside of the input. */
  readonly elsewhere: Lookup;
  /** Engines of the runtimes of the input. */
  readonly engines: readonly string[];
  /** All known Datasets by `<namespace>-<name>`. */
  readonly datasets: ReadonlyMap<string, readonly KubeObject[]>;
}

export const byJoinedName = (datasets: readonly KubeObject[]): NamingContext['datasets'] =>
  Map.groupBy(datasets, (dataset) => joinedName(keyOf(dataset)));

/** The input of a runtime's plan, but for facts and settings. */
export async function inputFor(
  key: Key,
  object: RuntimeObject,
  asked: Dataset,
  { elsewhere, datasets, engines }: NamingContext,
): Promise<Omit<RuntimeInput<unknown>, 'facts' | 'settings'>> {
  const dataset = identified(asked, await elsewhere.find('Dataset', key.namespace, key.name));
  const sameNames = rivalNames(key, engines).flatMap((name) => datasets.get(name) ?? []);
  const namesakes = sameNames.filter((other) => keyText(keyOf(other)) !== keyText(key));
  const claim = await elsewhere.find('PersistentVolumeClaim', key.namespace, key.name);
  const isOurs = ownerUid(claim) === object.metadata.uid;
  const claimed = isOurs ? (claim?.['spec'] as { volumeName?: string } | undefined)?.volumeName : undefined;
  return {
    ...key,
    uid: object.metadata.uid ?? '',
    annotations: object.metadata.annotations ?? {},
    spec: object.spec,
    dataset: {
      identity: identityOf(key, { dataset, runtime: object, namesakes, claimed }),
      annotations: dataset.metadata.annotations ?? {},
      spec: dataset.spec,
    },
  };
}

/** With the UID of the object in the cluster, and the annotations and labels that controllers added to it. */
export function identified<T extends Pick<Dataset, 'kind' | 'metadata'>>(object: T, live: Pick<Dataset, 'metadata'> | undefined): T {
  const { metadata } = object;
  const before = live?.metadata;
  return {
    ...object,
    metadata: {
      ...before,
      ...metadata,
      uid: metadata.uid ?? before?.uid ?? unknownUid(object),
      annotations: { ...before?.annotations, ...metadata.annotations },
      labels: { ...before?.labels, ...metadata.labels },
    },
  };
}
