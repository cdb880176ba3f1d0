import type { MutationPlugin } from '../admission.ts';
import { annotationsOf, withAnnotations } from '../pod.ts';
import { withoutArguments } from './arguments.ts';

/** Names of the Datasets that a pod uses, sorted and separated by commas. */
const IN_USE = 'fluid.io/datasets-in-use';

/** Records in an annotation which Datasets a pod uses. What the annotation names already stays. */
export const datasetUsage: MutationPlugin = {
  name: 'DatasetUsageInjector',
  configure: withoutArguments((pod, { uses }) => {
    if (uses.length === 0) return pod;
    const before = (annotationsOf(pod)[IN_USE] ?? '').split(',').filter((name) => name !== '');
    const names = new Set([...before, ...uses.map(({ dataset }) => dataset.identity.name)]);
    return withAnnotations(pod, { [IN_USE]: [...names].toSorted().join(',') });
  }),
};
