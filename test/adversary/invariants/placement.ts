import { V } from '../scene.ts';
import type { World } from '../world.ts';
import type { Invariant } from './invariant.ts';

/** The victim's Dataset that a pod of its reads, for as long as it is not to go; undefined for pods of others. */
function datasetOf({ server }: World, pod: string): string | undefined {
  const [namespace, name = ''] = pod.split('/');
  if (namespace !== V || name === 'app-borrowed') return undefined;
  const dataset = server.get('Dataset', V, name.replace(/^app-/, '').replace(/^second$/, 'x-data'));
  return dataset && !dataset.metadata.deletionTimestamp ? dataset.metadata.name : undefined;
}

/** A node has the label of each volume that a pod of the victim has mounted there, for as long as its Dataset is not to go. */
export const clientsStayPlaced: Invariant = (world) =>
  world.plugin.staged.flatMap(({ node, pod, label }) =>
    datasetOf(world, pod) === undefined || label in (world.server.get('Node', undefined, node)?.metadata.labels ?? {})
      ? []
      : [`${node} has lost ${label}, by which pod ${pod} reads`],
  );

/** Nor does it lose one for a moment: its fuse pod would be evicted. */
export const clientsWereNeverUnplaced: Invariant = (world) =>
  world.server.requestsThat({ verb: 'patch', kind: 'Node', manager: 'sluice' }).flatMap(({ name, body, status }) => {
    // The cast: what the controller sends.
    const { labels = {} } = (body as { metadata: { labels?: Readonly<Record<string, string | null>> } }).metadata;
    if (status !== 200) return [];
    return world.plugin.staged
      .filter(({ node, label, pod }) => node === name && labels[label] === null && datasetOf(world, pod) !== undefined)
      .map(({ label, pod }) => `${name} lost ${label}, by which pod ${pod} reads`);
  });
