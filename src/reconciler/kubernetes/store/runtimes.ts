import { Dataset, type Resource } from '../../../api/index.ts';
import type { Runtime } from '../../../constructs/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { RuntimeCandidate } from '../../../planning/choose.ts';
import { type Key, keyOf, keyText, type RuntimeObject } from '../../world.ts';
import { typeOf } from '../../../planning/kinds.ts';
import type { Inventories } from './inventories.ts';
import type { PortTable } from '../../../planning/port-table.ts';
import { faultOf, isNoNews, isSame, whatMatters } from './resources.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { Watches } from './watches.ts';

/** The watches of runtimes, one for each definition. */
export interface Runtimes {
  of(key: Key): readonly RuntimeCandidate[];
  all(): Iterable<RuntimeCandidate>;
}

interface RuntimesOptions {
  readonly inventories: Pick<Inventories, 'seen' | 'gone'>;
  readonly ports: Pick<PortTable, 'seen' | 'gone'>;
  readonly subscriptions: Pick<Subscriptions, 'wake' | 'remove'>;
  readonly onGone: (key: Key, uid: string) => void;
  readonly onKey: (key: Key, because: string) => void;
}

export function watchRuntimes({ watch }: Pick<Watches, 'watch'>, definitions: readonly Runtime[], options: RuntimesOptions): Runtimes {
  const { inventories, ports, subscriptions, onGone, onKey } = options;

  const kinds = definitions.map((definition) => ({
    definition,
    watched: watch(
      typeOf(definition.resource),
      (change, isEcho) => {
        const { object } = change;
        const { uid = '' } = object.metadata;
        const key = keyOf(object);
        if (change.type === 'deleted') {
          inventories.gone(uid);
          ports.gone(uid);
          subscriptions.remove(key);
          onGone(key, uid);
        } else {
          inventories.seen(uid, key);
          ports.seen(object, definition);
        }
        const isNew = isEcho || change.type !== 'changed' || !isNoNews(change.old, object);
        if (isNew) subscriptions.wake(Dataset.kind, keyText(key), change);
        if (isNew && !isEcho) onKey(key, `${object.kind} ${change.type}`);
      },
      { optional: true },
    ),
  }));

  const candidate = (definition: Runtime, object: KubeObject): RuntimeCandidate => {
    const invalid = faultOf(object);
    const { statusShape } = definition;
    const { status } = object;
    const seen = statusShape && status ? { ...object, status: statusShape.read(status as object) } : object;
    // The cast: what is kept of a runtime has been parsed.
    return { definition, object: seen as unknown as RuntimeObject, ...(invalid && { invalid }) };
  };
  return {
    of: ({ namespace, name }) =>
      kinds.flatMap(({ definition, watched }) => {
        const object = watched.newest(namespace, name);
        return object ? [candidate(definition, object)] : [];
      }),
    *all() {
      for (const { definition, watched } of kinds) for (const object of watched.values()) yield candidate(definition, object);
    },
  };
}

/** A profile or the like; throws InvalidSpec where it does not parse. */
export type Companions = (kind: string, name: string, user: Key) => Resource | undefined;

/** The watches of what runtimes refer to by name, such as profiles. */
export function watchCompanions(
  { watch, newest }: Pick<Watches, 'watch' | 'newest'>,
  definitions: readonly Runtime[],
  subscriptions: Pick<Subscriptions, 'add' | 'wake'>,
): Companions {
  for (const companion of definitions.flatMap(({ companions }) => companions))
    watch(
      typeOf(companion),
      (change) => {
        if (change.type === 'changed' && isSame(change.old, change.object)) return;
        subscriptions.wake(companion.kind, change.object.metadata.name, change);
      },
      { optional: true },
    );
  return (kind, name, user) => {
    subscriptions.add(kind, name, user);
    const object = newest(kind, undefined, name);
    const invalid = object && faultOf(object);
    if (invalid) throw invalid;
    return object && (whatMatters(object) as unknown as Resource);
  };
}
