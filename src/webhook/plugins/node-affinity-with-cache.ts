import { type NodeSelectorTerm, shown } from '../../api/index.ts';
import type { DatasetUse, MutationPlugin } from '../admission.ts';
import type { KnownObjects, KnownDataset } from '../known.ts';
import { servedBy } from '../served-by.ts';
import { labelsOf, type Pod } from '../pod.ts';
import { type Locality, labelOfDataset, parseLocality } from './affinity/locality.ts';
import { conditionsOn } from './affinity/node-affinity.ts';
import { type Alternative, keyOf, preferring, type Requirement, requiring } from './affinity/requirements.ts';
import { datasetsOf, fuseSelector } from './require-node-with-fuse.ts';

/** The label of a pod that requires the cache of a Dataset. */
const SCHED = /^fluid\.io\/dataset\.([A-Za-z0-9.-]*)\.sched$/;

/** Draws a pod to the nodes that hold the cache of its Datasets, or near them. A pod that speaks of these labels itself is left alone. */
export const nodeAffinityWithCache: MutationPlugin = {
  name: 'NodeAffinityWithCache',
  configure: (args) => {
    const locality = parseLocality(args);
    const keys = new Set([...locality.preferred.map(({ name }) => name), ...locality.required]);
    return (pod, { uses, known, warn }) => {
      const required = requiredNames(pod);
      const lost = [...required].filter((name) => !uses.some(({ claim, dataset }) => name === claim || name === dataset.identity.name));
      if (lost.length > 0) warn(notMounted(lost));
      if (uses.length === 0 || decidesItself(pod, keys, uses, known)) return pod;
      const isRequired = ({ claim, dataset }: DatasetUse) => required.has(claim) || required.has(dataset.identity.name);
      const preferences = datasetsOf(uses.filter((use) => !isRequired(use))).flatMap((dataset) => preferencesFor(dataset, locality, known));
      const requirements = datasetsOf(uses.filter(isRequired)).flatMap((dataset) => requirementsFor(dataset, locality, known));
      const far = (message: string) => warn(`the pod may run far from the caches that it requires: ${message}`);
      return requiring(preferring(pod, preferences), requirements, far);
    };
  },
};

/** RequireNodeWithFuse may have put a zone there, which is no decision of the user. */
function decidesItself(pod: Pod, keys: ReadonlySet<string>, uses: readonly DatasetUse[], known: KnownObjects): boolean {
  const conditions = conditionsOn(pod, keys).map(keyOf);
  if (conditions.length === 0) return false;
  const added = new Set(
    datasetsOf(uses)
      .flatMap((dataset) => fuseSelector(dataset, known))
      .map(keyOf),
  );
  return conditions.some((condition) => !added.has(condition));
}

const requiredNames = (pod: Pod): ReadonlySet<string> =>
  new Set(
    Object.entries(labelsOf(pod)).flatMap(([key, value]) => {
      const name = value === 'required' ? SCHED.exec(key)?.[1] : undefined;
      return name === undefined ? [] : [name];
    }),
  );

/** API servers cut warnings. */
const MOST_NAMED = 3;
const notMounted = (names: readonly string[]): string =>
  `metadata.labels[fluid.io/dataset.<name>.sched]: expected names of Datasets that the pod mounts, found ${names
    .slice(0, MOST_NAMED)
    .map((name) => shown(name))
    .join(', ')}${names.length > MOST_NAMED ? ' and others' : ''}; nothing is required for them`;

const preferencesFor = (dataset: KnownDataset, { preferred }: Locality, known: KnownObjects) =>
  preferred.flatMap(({ name, weight }) => placesOf(dataset, [name], known).map((expressions) => ({ weight, expressions })));

/** Labels of the Dataset itself, each; of the labels that its workers require all at once, since a zone belongs to its region. */
function requirementsFor(dataset: KnownDataset, { required }: Locality, known: KnownObjects): readonly Requirement[] {
  const built = required.filter((name) => labelOfDataset.has(name));
  const others = required.filter((name) => !labelOfDataset.has(name));
  return [...built.map((name) => placesOf(dataset, [name], known)), placesOf(dataset, others, known)];
}

/** Where the cache of a Dataset is, as far as these labels say. An alternative without expressions: anywhere. */
function placesOf(dataset: KnownDataset, names: readonly string[], known: KnownObjects): readonly Alternative[] {
  const { identity, runtime } = servedBy(dataset, known);
  const own = names.flatMap((name) => labelOfDataset.get(name)?.(identity) ?? []);
  if (own.length > 0) return [own.map((key) => ({ key, operator: 'In', values: ['true'] }))];
  const terms = (runtime && known.runtime(runtime.type, runtime.namespace, runtime.name)?.cacheAffinity) ?? [];
  return distinct(terms.map((term) => expressionsOn(term, names)));
}

const expressionsOn = ({ matchExpressions }: NodeSelectorTerm, names: readonly string[]): Alternative =>
  distinct((matchExpressions ?? []).filter(({ key }) => names.includes(key)));

const distinct = <T>(values: readonly T[]): readonly T[] => [...new Map(values.map((each) => [keyOf(each), each])).values()];
