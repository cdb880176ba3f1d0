import type { ListOptions } from '../kube/contract.ts';
import type { KubeList, KubeObject, ResourceType } from '../kube/types.ts';
import { createRecent } from './recent.ts';
import { expired } from './refusals.ts';
import { answer, selectionOf } from './select.ts';
import type { Storage } from './storage.ts';

/** A list of which a page was read. */
interface Taken {
  readonly objects: readonly KubeObject[];
  /** The revision at which it was taken. */
  readonly revision: number;
}

/** Objects in the lists that are remembered, read to their end or not; older lists are answered as too old. */
const MOST_OBJECTS = 500_000;

/**
 * Answers lists page by page: all pages of one list are of the revision of its first.
 *
 * @param most how many objects the lists that are remembered may have together, besides the newest
 */
export function createPages(
  storage: Storage,
  readsOnly: boolean,
  most = MOST_OBJECTS,
): (type: ResourceType, options: ListOptions) => KubeList {
  const lists = createRecent<number, Taken>(most, ({ objects }) => objects.length);
  let serial = 0;

  function remember(taken: Taken): number {
    lists.set(++serial, taken);
    return serial;
  }
  /** The content of a token: a list, and the place in it where the next page begins. */
  function read(token: string): { readonly list: number; readonly taken: Taken; readonly from: number } {
    const [, list, from] = /^page-(\d+)-(\d+)$/.exec(token) ?? [];
    const taken = lists.get(Number(list));
    if (!taken || taken.revision < storage.compacted)
      throw expired('The provided continue parameter is too old to display a consistent list result.');
    return { list: Number(list), taken, from: Number(from) };
  }

  return (type, options) => {
    const isSelected = selectionOf(type, options);
    const known = options.continue === undefined ? undefined : read(options.continue);
    const taken = known?.taken ?? { objects: storage.all(type).filter(isSelected), revision: storage.revision };
    const { objects, revision } = taken;
    const from = known?.from ?? 0;
    const { limit = objects.length } = options;
    const items = objects.slice(from, from + limit).map((object) => answer(type, object, options.metadataOnly, readsOnly));
    const list = { items, resourceVersion: String(revision) };
    if (from + limit >= objects.length) return list;
    return { ...list, continue: `page-${known?.list ?? remember(taken)}-${from + limit}` };
  };
}
