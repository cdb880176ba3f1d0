/** The part of the address after `#`: what is shown is in it, so that the back button, links and reloads work. */
import { ALL, type FleetQuery, type Sort, SORTS } from './query.ts';

export const TABS = ['picture', 'history', 'figures', 'manifests', 'preview'] as const;
export type Tab = (typeof TABS)[number];

export type Place =
  | { readonly view: 'fleet'; readonly query: FleetQuery }
  | { readonly view: 'dataset'; readonly namespace: string; readonly name: string; readonly tab: Tab }
  | { readonly view: 'operations'; readonly search: string }
  | { readonly view: 'nodes'; readonly search: string; readonly node?: string };

/** The place of an address of any shape; the fleet if it names none. */
export function placeOf(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const [, view, ...rest] = path.split('/').map(decoded);
  const params = new URLSearchParams(search);
  switch (view) {
    case 'dataset': {
      const [namespace, name, tab] = rest;
      if (!namespace || !name) break;
      return { view, namespace, name, tab: TABS.find((each) => each === tab) ?? 'picture' };
    }
    case 'operations':
      return { view, search: params.get('q') ?? '' };
    case 'nodes':
      return { view, search: params.get('q') ?? '', ...(rest[0] ? { node: rest[0] } : {}) };
    default:
  }
  return { view: 'fleet', query: queryOf(params) };
}

/** An address for a link, `#` in front. What is as by default is left out. */
export function addressOf(place: Place): string {
  switch (place.view) {
    case 'dataset':
      return `#/dataset/${encoded(place.namespace)}/${encoded(place.name)}${place.tab === 'picture' ? '' : `/${place.tab}`}`;
    case 'operations':
      return `#/operations${parameters({ q: place.search })}`;
    case 'nodes':
      return `#/nodes${place.node === undefined ? '' : `/${encoded(place.node)}`}${parameters({ q: place.search })}`;
    case 'fleet': {
      const { search, namespace, kind, unwell, sort, descending } = place.query;
      return `#/datasets${parameters({
        q: search,
        namespace,
        kind,
        well: unwell ? 'no' : '',
        sort: sort === ALL.sort ? '' : sort,
        order: descending ? 'descending' : '',
      })}`;
    }
  }
}

function queryOf(params: URLSearchParams): FleetQuery {
  const sort = params.get('sort');
  return {
    search: params.get('q') ?? '',
    namespace: params.get('namespace') ?? '',
    kind: params.get('kind') ?? '',
    unwell: params.get('well') === 'no',
    sort: SORTS.find((each): each is Sort => each === sort) ?? ALL.sort,
    descending: params.get('order') === 'descending',
  };
}

function parameters(values: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== '')).toString();
  return text === '' ? '' : `?${text}`;
}

const encoded = (text: string): string => encodeURIComponent(text);

/** An address that somebody typed may hold a `%` that begins nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
