import type { KubeClient } from '../../kube/contract.ts';
import { isOver, type OperationObject } from '../../reconciler/operations.ts';
import type { InputFault } from '../input/documents.ts';
import { type InputObjects, refOf } from '../input/read.ts';
import type { Lookup } from '../synth/lookup.ts';
import { type Rendering, type RenderOptions, renderValid } from '../synth/render.ts';
import type { Change } from '../../planning/diff/change.ts';
import { changesOf } from './changes.ts';
import { operationChanges } from './operation-changes.ts';
import { takenIn } from './taken.ts';

export interface ComparedInput {
  /** The changes for each runtime, then for each operation. */
  readonly changes: readonly { readonly of: string; readonly changes: readonly Change[] }[];
  /** Without those of operations that are over. */
  readonly faults: readonly InputFault[];
  readonly rendered: Rendering;
}

/** The changes that applying the input would make in the cluster: of all that is valid, and the faults of the rest. */
export async function compared(client: KubeClient, input: InputObjects, options: RenderOptions): Promise<ComparedInput> {
  const { runtimes, elsewhere } = options;
  const rendered = await renderValid(input, options);
  const known = (await Promise.all(runtimes.map(({ resource }) => elsewhere.list(resource.kind)))).flat();
  const uids = new Set(known.map(({ metadata }) => metadata.uid));
  const taken = takenIn(elsewhere, runtimes, known);
  const changes: { of: string; changes: readonly Change[] }[] = [];
  for (const each of rendered.datasets) {
    const other = await taken(each);
    changes.push({ of: refOf(each.object), changes: other ? [other] : await changesOf(client, each, (uid) => uids.has(uid)) });
  }
  for (const each of rendered.operations) changes.push({ of: refOf(each.object), changes: await operationChanges(client, each) });
  return { changes, faults: await withoutEnded(rendered.faults, input, elsewhere), rendered };
}

/** Operations that are over in the cluster, or were when they were printed, do not run again: their faults are no news. */
async function withoutEnded(
  faults: readonly InputFault[],
  { operations }: Pick<InputObjects, 'operations'>,
  cluster: Lookup,
): Promise<readonly InputFault[]> {
  const ended = new Set<string>();
  for (const { object } of operations) {
    const live = (await cluster.find(object.kind, object.metadata.namespace, object.metadata.name)) as OperationObject | undefined;
    if (isOver(live ?? object)) ended.add(refOf(object));
  }
  return faults.filter(({ object = '' }) => !ended.has(object));
}
