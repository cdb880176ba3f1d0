import type { ListOptions } from '../kube/contract.ts';
import type { KubeList, KubeObject, ResourceType } from '../kube/types.ts';
import { expired } from './refusals.ts';
import { answer, selectionOf } from './select.ts';
import type { Storage } from './storage.ts';

/** What is left of a list after a page of it. */
interface Rest {
  readonly rest: readonly KubeObject[];
  readonly resourceVersion: string;
  /** The revision at which the list was taken. */
  readonly taken: number;
}

/** Lists that nobody reads to their end; older ones are answered as too old. */
const MOST_PAGES = 10_000;

/** Answers lists page by page: all pages of one list are of the revision of its first. Remembers the rest of each by its token. */
export function createPages(storage: Storage, readsOnly: boolean): (type: ResourceType, options: ListOptions) => KubeList {
  const pages = new Map<string, Rest>();
  let serial = 0;

  return (type, options) => {
    const isSelected = selectionOf(type, options);
    const known = options.continue === undefined ? undefined : pages.get(options.continue);
    if (options.continue !== undefined) {
      if (!known || known.taken < storage.compacted)
        throw expired('The provided continue parameter is too old to display a consistent list result.');
    }
    const { rest, resourceVersion, taken } = known ?? {
      rest: storage.all(type).filter(isSelected),
      resourceVersion: String(storage.revision),
      taken: storage.revision,
    };
    const { limit = rest.length } = options;
    const items = rest.slice(0, limit).map((object) => answer(type, object, options.metadataOnly, readsOnly));
    if (rest.length <= limit) return { items, resourceVersion };
    const token = `page-${++serial}`;
    pages.set(token, { rest: rest.slice(limit), resourceVersion, taken });
    for (const oldest of pages.keys()) {
      if (pages.size <= MOST_PAGES) break;
      pages.delete(oldest);
    }
    return { items, resourceVersion, continue: token };
  };
}
