import { runtimes } from '../../../runtimes/_all.gen.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { Store } from '../../../src/reconciler/kubernetes/store/store.ts';
import type { Process, VirtualTime } from '../time.ts';

/** After which a watch that misses a version is begun again, ms (src/kube/watch/watch-lag.ts), with its pauses. */
const LATE_MS = 20_000;
const RUNTIMES = runtimes.map(({ resource }) => resource.kind);

interface Known {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string | undefined;
  /** Undefined: a read found that it does not exist. */
  readonly version: number | undefined;
  /** The version of the object that was remembered or is gone. */
  readonly of: number;
  /** The watch has shown the deletion. It forgets how far it came when the server has compacted that. */
  readonly isDeleted: boolean;
}

/** Looks at one store. */
export interface StoreCheck {
  /** Looks at what is remembered once more. */
  look(): void;
  /** A watch shows the deletion of an object. */
  deleted(object: KubeObject): void;
}

/**
 * Holds the store of one process to its invariants (S1 to S14): looks at what is remembered, and at what the store then returns.
 */
export function watchStore(
  store: Store,
  process: Process,
  time: VirtualTime,
  found: (what: string) => void,
  onRemembered: (object: KubeObject) => void,
): StoreCheck {
  const known = new Map<string, Known>();
  const specs = new Map<string, unknown>();
  const fail = (what: string) => found(`the store of ${process.name}: ${what}`);
  const reflectorOf = (kind: string) => [...store.reflectors].find(([plural]) => plural === pluralOf(store, kind))?.[1];
  const { remember, created, forget } = store;
  /** UIDs of what this process created. */
  const own = new Set<string | undefined>();

  function answered(object: KubeObject): void {
    const { namespace, name, uid } = object.metadata;
    // The watch of a label may show nothing of an object that others created before our write.
    if (own.has(uid) || reflectorOf(object.kind)?.get(namespace, name)?.metadata.uid === uid) onRemembered(object);
    keep(object, Number(object.metadata.resourceVersion));
    if (object.kind === 'Secret' && store.seen('Secret', namespace, name)) fail('a Secret is kept (S6)');
  }
  Object.assign(store, {
    remember(object: KubeObject) {
      remember(object);
      answered(object);
    },
    created(object: KubeObject) {
      created(object);
      own.add(object.metadata.uid);
      answered(object);
    },
    forget(object: KubeObject) {
      forget(object);
      keep(object, undefined);
    },
  } satisfies Partial<Store>);

  function keep({ kind, metadata: { namespace, name, uid, labels, resourceVersion } }: KubeObject, version: number | undefined): void {
    const reflector = reflectorOf(kind);
    if (!reflector) return;
    const id = `${kind} ${namespace ?? ''}/${name}`;
    const before = known.get(id);
    if (version !== undefined && before?.version !== undefined && before.version > version) return;
    known.set(id, { kind, namespace, name, uid, version, of: Number(resourceVersion), isDeleted: false });
    check(id);
    const isSelected = RUNTIMES.includes(kind) || kind === 'Dataset' || labels?.['data.fluid.io/owner-uid'] !== undefined;
    if (version === undefined || !isSelected) return;
    const { watches, lists } = reflector.status;
    const atMs = time.nowMs;
    time.after(LATE_MS, () => {
      if (process.state !== 'running' || process.pausedMs > atMs || reflectorOf(kind) !== reflector) return;
      const { resourceVersion, ...now } = reflector.status;
      // Without a version it is being listed.
      if (resourceVersion !== undefined && Number(resourceVersion) < version && now.watches === watches && now.lists === lists)
        fail(`the watch of ${kind} has not come as far as ${version}, and was not begun again (S5)`);
    });
  }

  function check(id: string): void {
    const ours = known.get(id);
    if (!ours) return;
    const { kind, namespace, name, uid, version, isDeleted } = ours;
    const reflector = reflectorOf(kind);
    const seen = store.seen(kind, namespace, name);
    const shown = reflector?.get(namespace, name);
    const upTo = Math.max(Number(reflector?.status.resourceVersion ?? 0), Number(shown?.metadata.resourceVersion ?? 0));
    if (version === undefined) {
      if (shown?.metadata.uid === uid ? seen?.metadata.uid === uid : seen !== shown)
        fail(`${id} was found to be deleted, and is returned (S2)`);
      if (shown ? shown.metadata.uid !== uid : !(upTo < ours.of)) known.delete(id);
      // Events that were shown to a process that stops are no longer read by its reflector: it keeps an older version.
    } else if (upTo >= version || (isDeleted && shown === undefined)) {
      if (seen !== shown) fail(`the watch has passed version ${version} of ${id}, and something else is returned (S3)`);
      known.delete(id);
    } else if (!seen || Number(seen.metadata.resourceVersion) < version)
      fail(`version ${version} of ${id} was remembered, and ${seen?.metadata.resourceVersion ?? 'nothing'} is returned (S1)`);
  }

  function checkSpecs(): void {
    for (const { metadata, spec } of [...store.datasets(), ...[...store.allRuntimes()].map(({ object }) => object)]) {
      const id = `${metadata.uid} ${metadata.generation}`;
      if (specs.has(id) && specs.get(id) !== spec) fail(`the spec of ${metadata.name} was not edited, and is another object (S14)`);
      specs.set(id, spec);
    }
  }

  return {
    look() {
      for (const id of known.keys()) check(id);
      checkSpecs();
    },
    deleted({ kind, metadata: { namespace, name, resourceVersion } }) {
      const id = `${kind} ${namespace ?? ''}/${name}`;
      const ours = known.get(id);
      if (ours?.version !== undefined && Number(resourceVersion) >= ours.version) known.set(id, { ...ours, isDeleted: true });
    },
  };
}

function pluralOf(store: Store, kind: string): string | undefined {
  try {
    return store.typeOf(kind).plural;
  } catch {
    return undefined;
  }
}
