import type { DatasetUse, MutationPlugin } from '../admission.ts';
import { fuseOf } from '../fuse-of.ts';
import type { KnownObjects, KnownDataset } from '../known.ts';
import { servedBy } from '../served-by.ts';
import { record } from '../shapes.ts';
import type { Expression } from './affinity/node-affinity.ts';
import { requiring } from './affinity/requirements.ts';
import { withoutArguments } from './arguments.ts';

/** Labels that Sluice and Fluid put on nodes themselves: a node gets them because a pod runs there. */
const OWN_LABELS = 'fluid.io/';

/** A pod may run only where its FUSE clients can: on nodes that `fuse.nodeSelector` of its runtimes selects. */
export const requireNodeWithFuse: MutationPlugin = {
  name: 'RequireNodeWithFuse',
  configure: withoutArguments((pod, { uses, known, warn }) =>
    requiring(
      pod,
      datasetsOf(uses).map((dataset) => [fuseSelector(dataset, known)]),
      (message) => warn(`the pod may run where its FUSE clients cannot: ${message}`),
    ),
  ),
};

/** Each Dataset once: several claims may be of one. */
export const datasetsOf = (uses: readonly DatasetUse[]): readonly KnownDataset[] => [
  ...new Map(uses.map(({ dataset }) => [dataset.identity.uid, dataset])).values(),
];

/** Conditions on the nodes on which the FUSE client of a Dataset can run; none if its DaemonSet is not known, or not verified. */
export function fuseSelector(dataset: KnownDataset, known: KnownObjects): readonly Expression[] {
  const { identity } = servedBy(dataset, known);
  const fuse = fuseOf(identity, known);
  return Object.entries(record('why' in fuse ? undefined : fuse.template.spec?.nodeSelector))
    .filter(([key]) => !key.startsWith(OWN_LABELS))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ({ key, operator: 'In', values: [String(value)] }));
}
