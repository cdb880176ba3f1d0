import type { Clock } from '../../../kube/clock.ts';
import type { ResourceType } from '../../../kube/types.ts';
import type { Sight } from './sight.ts';

export interface RightsOptions {
  readonly name: string;
  readonly cluster: string;
  /** Datasets come first: of a namespace where the viewer may not list these, nothing is shown. */
  readonly kinds: readonly [datasets: ResourceType, ...others: readonly ResourceType[]];
  /** The namespaces that the server watches. Absent: all. */
  readonly namespaces?: readonly string[];
  /** @param namespace empty: in all, or in the cluster */
  ask(type: ResourceType, namespace: string): Promise<boolean>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** How long an answer counts. A right that was refused is asked for less often: there may be thousands of namespaces. */
const GRANTED_MS = 60_000;
const REFUSED_MS = 300_000;
/** After this time an answer is none any more, though the API server gives no other. */
const OLDEST_MS = 900_000;
const MOST_PLACES = 20_000;

interface Place {
  /** Plurals of kinds that the viewer may list there. */
  readonly allowed: ReadonlySet<string>;
  readonly at: number;
}

/** The sight of one whose rights the API server is asked for: of kinds, in all namespaces and in each. */
export function reviewedSight({ name, cluster, kinds, namespaces, ask, clock }: RightsOptions): Sight {
  const [datasets] = kinds;
  const places = new Map<string, Place>();
  const asked = new Map<string, Promise<void>>();
  const listeners = new Set<() => void>();
  const served = namespaces && new Set(namespaces);
  const allowedIn = (place: string): ReadonlySet<string> => {
    const known = places.get(place);
    return known && clock.monotonic() - known.at <= OLDEST_MS ? known.allowed : NONE;
  };
  const mayAll = (plural: string): boolean => allowedIn('').has(plural);

  function isFresh(place: string): boolean {
    const known = places.get(place);
    if (!known) return false;
    const age = clock.monotonic() - known.at;
    return age < (known.allowed.size > 0 || place === '' ? GRANTED_MS : REFUSED_MS);
  }

  /** The kinds that may be listed in a namespace, or, if it is empty, in all and in the cluster. */
  async function askAll(place: string): Promise<ReadonlySet<string>> {
    const wanted = place === '' ? kinds : kinds.filter(({ namespaced, plural }) => namespaced && !mayAll(plural));
    const first = wanted.includes(datasets) ? await ask(datasets, place) : undefined;
    // Whether the cluster shows its nodes does not depend on Datasets.
    if (first === false && place !== '') return NONE;
    const others = await Promise.all(
      wanted.filter((type) => type !== datasets).map(async (type) => ({ type, may: await ask(type, place) })),
    );
    return new Set([...(first ? [datasets.plural] : []), ...others.filter(({ may }) => may).map(({ type }) => type.plural)]);
  }

  function look(place: string): Promise<void> {
    if (isFresh(place)) return Promise.resolve();
    const under = asked.get(place) ?? renew(place).finally(() => asked.delete(place));
    asked.set(place, under);
    return under;
  }
  async function renew(place: string): Promise<void> {
    const before = places.get(place);
    const allowed = await askAll(place);
    const isSame = before ? same(before.allowed, allowed) : allowed.size === 0;
    // The latest come last. A viewer may guess names of namespaces without end.
    places.delete(place);
    places.set(place, { allowed, at: clock.monotonic() });
    if (places.size > MOST_PLACES) forgetOne(places);
    if (!isSame) for (const listener of listeners) listener();
  }

  async function lookAt(wanted: Iterable<string>): Promise<void> {
    const named = [...new Set(wanted)].filter((each) => each !== '' && (!served || served.has(each)));
    await look('');
    // One who may list everything everywhere is not asked about each namespace.
    if (kinds.every(({ plural, namespaced }) => !namespaced || mayAll(plural))) return;
    await Promise.all(named.map(look));
  }

  const sees = (plural: string, namespace: string): boolean => {
    if (namespace === '') return mayAll(plural);
    if (served && !served.has(namespace)) return false;
    const isShown = mayAll(datasets.plural) || allowedIn(namespace).has(datasets.plural);
    return isShown && (mayAll(plural) || allowedIn(namespace).has(plural));
  };

  return {
    sees,
    viewer() {
      const seen = mayAll(datasets.plural) ? undefined : [...places.keys()].filter((place) => place !== '' && sees(datasets.plural, place));
      const all = seen ?? ['', ...places.keys()];
      const shown = served ? (seen ?? [...served]) : seen;
      const hidden = kinds.filter(({ plural }) => !mayAll(plural) && !all.some((place) => sees(plural, place))).map(({ plural }) => plural);
      return { name, cluster, ...(shown && { namespaces: shown.toSorted() }), hidden };
    },
    look: lookAt,
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isFollowed: () => listeners.size > 0,
    refresh: () => lookAt(places.keys()),
  };
}

/** Forgets the oldest refusal. */
function forgetOne(places: Map<string, Place>): void {
  for (const [place, { allowed }] of places) {
    if (allowed.size > 0 || place === '') continue;
    places.delete(place);
    return;
  }
}

const NONE: ReadonlySet<string> = new Set();
const same = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => a.size === b.size && [...a].every((each) => b.has(each));
