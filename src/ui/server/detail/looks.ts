import { label } from '../../../api/index.ts';
import type { Clock } from '../../../kube/clock.ts';
import type { KubeClient, Selection } from '../../../kube/contract.ts';
import type { KubeObject, Log, ResourceType } from '../../../kube/types.ts';
import { reflect } from '../../../kube/watch/reflector.ts';
import { Event, Pod } from '../../../planning/kinds.ts';

/**
 * Datasets that somebody looks at. Events and pods of their namespaces are watched meanwhile, once for all viewers, so that a view is read
 * again as soon as something of it changed.
 */
export interface Looks {
  /** Notes that a view was read, which shows these objects. */
  note(namespace: string, name: string, shown: readonly KubeObject[]): void;
  stop(): void;
}

export interface LooksOptions {
  readonly mayList: (plural: string, namespace: string | undefined) => boolean;
  /** Called with the key of a Dataset of whose view something changed. */
  readonly onChange: (key: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** A page that is open reads its view again at least every quarter of a minute. */
const LOOK_MS = 60_000;
/** Further namespaces are not watched: their views are read again from time to time alone. */
const MOST_NAMESPACES = 50;

interface Look {
  readonly uids: ReadonlySet<string>;
  /** By the monotonic clock. */
  readonly until: number;
}
interface Watched {
  readonly looks: Map<string, Look>;
  stop(): void;
}
/** A pod, or the object that an event is about. */
interface Concern extends KubeObject {
  readonly about: { readonly uid: string | undefined; readonly name: string };
}

export function createLooks(client: KubeClient, { mayList, onChange, clock, log }: LooksOptions): Looks {
  const namespaces = new Map<string, Watched>();
  let cancel: (() => void) | undefined;

  function watch(namespace: string): Watched {
    const looks = new Map<string, Look>();
    const follow = (type: ResourceType, aboutOf: (object: KubeObject) => Concern['about'], selection: Selection = {}) => {
      let isListed = false;
      const project = (object: KubeObject): Concern => ({ ...briefly(object), about: aboutOf(object) });
      const each = ({ object: { about } }: { readonly object: Concern }): void => {
        // The view that begins the watch has all that is listed.
        if (!isListed) return;
        for (const [name, { uids }] of looks)
          if ((about.uid !== undefined && uids.has(about.uid)) || about.name === name || about.name.startsWith(`${name}-`))
            onChange(`${namespace}/${name}`);
      };
      const found = reflect<Concern>(client, type, { ...selection, namespace, project, onChange: each, clock, log });
      void found.answered.then(() => (isListed = true));
      return found;
    };
    const may = ({ plural }: ResourceType) => mayList(plural, undefined) || mayList(plural, namespace);
    const watches = [
      ...(may(Event) ? [follow(Event, involved)] : []),
      ...(may(Pod) ? [follow(Pod, itself, { labelSelector: label.datasetId })] : []),
    ];
    return { looks, stop: () => watches.forEach((each) => each.stop()) };
  }

  function sweep(): void {
    cancel = undefined;
    for (const [namespace, { looks, stop }] of namespaces) {
      for (const [name, { until }] of looks) if (until <= clock.monotonic()) looks.delete(name);
      if (looks.size > 0) continue;
      stop();
      namespaces.delete(namespace);
    }
    if (namespaces.size > 0) cancel = clock.after(LOOK_MS / 4, sweep);
  }

  return {
    note(namespace, name, shown) {
      const known = namespaces.get(namespace);
      if (!known && namespaces.size >= MOST_NAMESPACES) return;
      const watched = known ?? watch(namespace);
      namespaces.set(namespace, watched);
      watched.looks.set(name, { uids: new Set(shown.flatMap(({ metadata: { uid } }) => uid ?? [])), until: clock.monotonic() + LOOK_MS });
      cancel ??= clock.after(LOOK_MS / 4, sweep);
    },
    stop() {
      cancel?.();
      for (const { stop } of namespaces.values()) stop();
      namespaces.clear();
    },
  };
}

const itself = ({ metadata: { uid, name } }: KubeObject): Concern['about'] => ({ uid, name });
function involved(event: KubeObject): Concern['about'] {
  const { uid, name = '' } = (event['involvedObject'] ?? {}) as { readonly uid?: string; readonly name?: string };
  return { uid, name };
}

/** An object without all that only a view shows. */
const briefly = ({ apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  // The cast: a field that is undefined counts as absent.
  metadata: { namespace, name, uid, resourceVersion } as KubeObject['metadata'],
});
