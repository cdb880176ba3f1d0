/** Why namespaces cannot be tried, or given back: pure. */
import type { KubeObject } from '../../kube/types.ts';
import { objectText } from '../../planning/key.ts';
import { some } from '../../planning/some.ts';
import { phaseOf } from '../../planning/views.ts';

/** All objects of the API group of Datasets, as the API server returns them. */
export interface TryObjects {
  readonly datasets: readonly KubeObject[];
  readonly operations: readonly KubeObject[];
  /** Runtimes by their kind: what Fluid serves and Sluice does not, too. */
  readonly runtimes: readonly KubeObject[];
}

const all = (objects: readonly KubeObject[]): string => some(objects, objectText);

/**
 * Each controller knows only what is in its namespaces. So a Dataset of one of them that refers to one of the other, and an operation that
 * needs one there, would have no controller that may write both.
 */
export function whyNotTried({ datasets, operations, runtimes }: TryObjects, namespaces: readonly string[]): readonly string[] {
  const isTried = (namespace: string | undefined): boolean => namespaces.includes(namespace ?? '');
  const crossing = (objects: readonly KubeObject[], toOf: (object: KubeObject) => readonly string[]) =>
    objects.filter((object) => toOf(object).some((to) => isTried(to) !== isTried(object.metadata.namespace)));
  const references = crossing(datasets, referencesOf);
  const operating = crossing(operations, namespacesNeeded);
  const caches = runtimes.filter(({ kind, metadata }) => kind === 'CacheRuntime' && isTried(metadata.namespace));
  const foreign = runtimes.filter(({ kind, metadata }) => kind === 'GooseFSRuntime' && isTried(metadata.namespace));
  return [
    ...(references.length > 0
      ? [`${all(references)}: refers to a Dataset on the other side; try the namespaces of both together, or neither`]
      : []),
    ...(operating.length > 0
      ? [`${all(operating)}: needs a Dataset or an operation on the other side; delete it, or try both namespaces`]
      : []),
    ...(caches.length > 0
      ? [
          `${all(caches)}: Sluice would replace the AdvancedStatefulSets of Fluid, which Fluid does not create again when the namespace is given back`,
        ]
      : []),
    ...(foreign.length > 0 ? [`${all(foreign)}: Sluice does not serve this kind`] : []),
  ];
}

/** Objects that Fluid would leave as they are for ever, in words. */
export function whyNotGivenBack({ operations, runtimes }: TryObjects, namespaces: readonly string[]): readonly string[] {
  const isBack = ({ metadata }: KubeObject): boolean => namespaces.includes(metadata.namespace ?? '');
  const running = operations.filter((operation) => isBack(operation) && phaseOf(operation) === 'Executing');
  const caches = runtimes.filter((runtime) => runtime.kind === 'CacheRuntime' && isBack(runtime));
  return [
    ...(running.length > 0
      ? [`${all(running)}: Fluid does not notice the end of an operation that Sluice began; wait for its end, or delete it`]
      : []),
    ...(caches.length > 0 ? [`${all(caches)}: Fluid does not serve CacheRuntimes that Sluice has set up; delete them`] : []),
  ];
}

/** The namespaces of Datasets that a Dataset refers to. The spec may be any, since no controller has accepted it yet. */
function referencesOf({ spec, metadata }: KubeObject): readonly string[] {
  const { mounts = [] } = (spec ?? {}) as { readonly mounts?: readonly { readonly mountPoint?: string }[] };
  return mounts.flatMap(({ mountPoint }) => {
    const [, namespace] = /^dataset:\/\/([^/]+)\//.exec(mountPoint ?? '') ?? [];
    return namespace === undefined ? [] : [namespace === '' ? (metadata.namespace ?? '') : namespace];
  });
}

interface Operation {
  readonly dataset?: Named;
  readonly runAfter?: Named;
  readonly from?: { readonly dataset?: Named };
  readonly to?: { readonly dataset?: Named };
}
interface Named {
  readonly namespace?: string;
}
function namespacesNeeded({ spec }: KubeObject): readonly string[] {
  // The cast: a schema has been asked for these fields, and what is another shape names no namespace.
  const { dataset, runAfter, from, to } = (spec ?? {}) as Operation;
  return [dataset, runAfter, from?.dataset, to?.dataset].flatMap((each) => each?.namespace ?? []);
}
